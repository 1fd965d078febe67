import type { ForwardRule } from '@app/domain/keys/forward-rules';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** What one of the platform's own services signs in with. Not a customer's: see ServiceAccount for those. */
@Entity('service_credential')
@Index('service_credential_digest_idx', ['digest'], { unique: true })
@Index('service_credential_created_idx', ['createdAt', 'id'])
export class ServiceCredential {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  /** SHA-256 of the secret. */
  @Column('text')
  digest: string;

  @Column('text', { name: 'hint' })
  maskedSecret: string;

  /** E-mail address of the member of staff. */
  @Column('text')
  createdBy: string;

  @Column('timestamptz')
  createdAt: Date;

  /** Null means enabled. */
  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Column('text', { nullable: true })
  lastUsedAddress: string | null;

  /** Which requests a reverse proxy may ask about with it. */
  @Column('jsonb', { default: [] })
  forwardRules: ForwardRule[];

  @Column('bigint', { default: 1, transformer: bigintAsNumber })
  version: number;
}
