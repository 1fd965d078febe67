import type { ModelId } from '@app/domain/voices/model-ids';
import type { KeySettings } from '@app/domain/keys/key-fields';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Versioned } from '../common/versioned';

/** An API key. Not its secret: see ApiKeySecret. Its credits are a row of `credit_balance` with the same id. */
@Entity('api_key')
@Index('api_key_account_idx', { synchronize: false })
@Index('api_key_allowed_idx', { synchronize: false })
@Index('api_key_created_idx', { synchronize: false })
@Index('api_key_name_idx', { synchronize: false })
@Index('api_key_name_part_idx', { synchronize: false })
@Index('api_key_scope_idx', { synchronize: false })
@Index('api_key_all_scopes_idx', { synchronize: false })
@Index('api_key_deleted_idx', { synchronize: false })
@Index('api_key_disabled_idx', { synchronize: false })
@Index('api_key_expires_idx', { synchronize: false })
@Index('api_key_external_id_idx', { synchronize: false })
@Index('api_key_listed_idx', { synchronize: false })
@Index('api_key_makers_idx', { synchronize: false })
@Index('api_key_managed_idx', { synchronize: false })
@Index('api_key_service_account_idx', { synchronize: false })
@Index('api_key_tags_idx', { synchronize: false })
export class ApiKey extends Versioned implements Omit<KeySettings, 'creditLimit'> {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  accountId: string;

  /** Null for a key that belongs to the account itself. */
  @Column('text', { nullable: true })
  serviceAccountId: string | null;

  /**
   * The key that created this one through the public API, the key that created that one, and so on; null for a key that
   * staff have created or detached. The key does nothing that one of them could not.
   */
  @Column('uuid', { name: 'maker_ids', array: true, nullable: true })
  parentKeyIds: string[] | null;

  @Column('text')
  name: string;

  /** Permission names, or null for all. */
  @Column('text', { array: true, nullable: true })
  permissions: string[] | null;

  /** Canonical allow-list, or null for any address. */
  @Column('text', { array: true, nullable: true })
  allowedIps: string[] | null;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  /** Null for the tier's. */
  @Column('int', { nullable: true })
  requestsPerMinute: number | null;

  /** Null for no such limit. */
  @Column('int', { nullable: true })
  requestsPerSecond: number | null;

  @Column('int', { nullable: true })
  requestsPerDay: number | null;

  /** Generations at once; null for the account's limit only. */
  @Column('int', { nullable: true })
  concurrencyLimit: number | null;

  /** The models that the key may use; null for all. */
  @Column('text', { array: true, nullable: true })
  models: ModelId[] | null;

  /** The voices that the key may speak with and remix; null for all of the account's. */
  @Column('text', { array: true, nullable: true })
  voices: string[] | null;

  /** Whether a holder of the key may disable it, as the finder of a leaked one would; null for what its account says. */
  @Column('boolean', { nullable: true })
  thirdPartyDisableAllowed: boolean | null;

  @Column('text', { nullable: true })
  disableReason: string | null;

  /** Whether a key of the customer has disabled it: only then may a key of the customer enable it again. */
  @Column('boolean', { default: false })
  disabledByCustomer: boolean;

  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  /** A deleted key is refused like an unknown one; staff see and may restore it until it is removed. */
  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;

  /** Since when a deleted key has no secrets any more: its row stays for the ledger. */
  @Column('timestamptz', { nullable: true })
  removedAt: Date | null;

  /** The file of keys that manages it, by its name; null for none. Staff and customers leave its settings alone then. */
  @Column('text', { nullable: true })
  managedBy: string | null;

  /** What staff file it under, each once and in order, see `checkTags`. */
  @Column('text', { array: true, default: () => "'{}'" })
  tags: string[];

  /** What another system calls it; null for none. */
  @Column('text', { nullable: true })
  externalId: string | null;
}
