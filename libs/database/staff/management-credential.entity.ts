import type { AccountBound } from '@app/domain/staff/management-grants';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** What a program signs in with that uses the staff API. */
@Entity('management_credential')
@Index('management_credential_digest_idx', ['digest'], { unique: true })
@Index('management_credential_old_digest_idx', ['oldDigest'], { unique: true })
@Index('management_credential_created_idx', ['createdAt', 'id'])
export class ManagementCredential {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  @Column('text')
  purpose: string;

  /** SHA-256 of the secret. */
  @Column('text')
  digest: string;

  @Column('text', { name: 'hint' })
  maskedSecret: string;

  /** Of the secret before a rotation, and until when that works. */
  @Column('text', { nullable: true })
  oldDigest: string | null;

  @Column('timestamptz', { nullable: true })
  oldUntil: Date | null;

  @Column('text', { array: true })
  permissions: StaffPermission[];

  /** Which accounts it may touch. */
  @Column('text')
  accounts: AccountBound;

  /** Of `listed`; otherwise empty. */
  @Column('uuid', { array: true })
  accountIds: string[];

  /** Of `tagged`. */
  @Column('text', { nullable: true })
  tag: string | null;

  /** Empty for every address. */
  @Column('text', { array: true })
  allowedIps: string[];

  @Column('int')
  requestsPerMinute: number;

  @Column('timestamptz')
  expiresAt: Date;

  /** The member of staff whose role bounds it. */
  @Column('uuid')
  creatorId: string;

  /** Their e-mail address. */
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

  @Column('bigint', { default: 1, transformer: bigintAsNumber })
  version: number;
}
