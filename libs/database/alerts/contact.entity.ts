import type { ContactCategory } from '@app/domain/alerts/alert-kinds';
import type { ContactChannel } from '@app/domain/alerts/alert-rule';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Versioned } from '../common/versioned';

/** Who is notified about an account, or about the whole installation. */
@Entity('contact')
@Index('contact_account_idx', ['accountId', 'createdAt'])
export class Contact extends Versioned {
  @PrimaryColumn('uuid')
  id: string;

  /** Null for a contact of the installation. */
  @Column('uuid', { nullable: true })
  accountId: string | null;

  @Column('text')
  name: string;

  @Column('text')
  channel: ContactChannel;

  /** Null for a hook. */
  @Column('text', { nullable: true })
  email: string | null;

  /** The URL of a hook, encrypted: its holder can post there. Null for a mailbox. */
  @Column('text', { nullable: true })
  sealedUrl: string | null;

  /** Its host and its last characters. */
  @Column('text', { name: 'url_hint', nullable: true })
  maskedUrl: string | null;

  @Column('text', { array: true })
  categories: ContactCategory[];

  /** Minute of the day; null for no quiet hours. */
  @Column('int', { nullable: true })
  quietFrom: number | null;

  @Column('int', { nullable: true })
  quietTo: number | null;

  /** IANA name; null for no quiet hours. */
  @Column('text', { nullable: true })
  timeZone: string | null;

  /** For how long alerts are gathered into one message; 0 for none. */
  @Column('int', { default: 0 })
  gatherMinutes: number;

  /** When they unsubscribed; null while they are subscribed. */
  @Column('timestamptz', { nullable: true })
  unsubscribedAt: Date | null;
}
