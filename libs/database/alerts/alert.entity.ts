import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Something that a rule has noticed: once for each subject and period. */
@Entity('alert')
@Index('alert_once_idx', ['ruleId', 'subject', 'period'], { unique: true })
@Index('alert_at_idx', ['at'])
export class Alert {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id: string;

  /** The rule may be gone. */
  @Column('uuid')
  ruleId: string;

  @Column('text')
  kind: AlertKind;

  @Column('double precision', { nullable: true })
  threshold: number | null;

  @Column('uuid', { nullable: true })
  accountId: string | null;

  @Column('uuid', { nullable: true })
  keyId: string | null;

  /** What is sent once in a period: the id of the account or the key, with more where a kind needs it. */
  @Column('text')
  subject: string;

  /** The start of a billing period with the credits that are usable in it, a day, the instant that is near … */
  @Column('text')
  period: string;

  /** What was noticed, with the names of the API. */
  @Column('jsonb')
  data: Record<string, unknown>;

  @Column('timestamptz', { default: () => 'now()' })
  at: Date;
}
