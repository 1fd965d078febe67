import type { Tier } from '../accounts/tiers';
import type { CompiledAllowList } from '../allow-lists/allow-list';
import type { PermissionSet } from './permissions';
import type { RequestLimit } from './request-limits';

/** How many generations may run at the same time, and who runs them. */
export interface GenerationLimit {
  /** The id of an account, or of a key. */
  readonly ownerId: string;
  readonly limit: number;
}

/**
 * What the decision about a request needs to know of a key. Compiled when the key is loaded, and no freer than any of its
 * parent keys, see `narrowed`.
 */
export interface VerifiableKey {
  readonly keyId: string;
  readonly accountId: string;
  /** `moving` while the account is being moved to another cell. */
  readonly accountStatus: 'active' | 'suspended' | 'closed' | 'moving';
  readonly tier: Tier;
  /** Generations that may run at the same time: of the key and its parent keys where they have a limit, last of the account. */
  readonly generationLimits: readonly GenerationLimit[];
  /** How many requests are allowed in a minute, and under which key they are counted: its own id, or a parent key's. */
  readonly requestLimit: { readonly keyId: string; readonly requestsPerMinute: number };
  /** With limits per second or day beside it: all of them, the shortest window first. Undefined for none. */
  readonly requestLimits?: readonly RequestLimit[];
  /** The key that created this one, the key that created that one, and so on; none for a key that staff have created. */
  readonly parentKeyIds: readonly string[];
  /** Why one of these is not in use: its disable reason, or `deleted`; null while all of them are. */
  readonly parentKeyEnded: string | null;
  readonly permissions: PermissionSet;
  /** Ids of the models and of the voices that it may use; null for all. */
  readonly models: readonly string[] | null;
  readonly voices: readonly string[] | null;
  /** Null lets every address in. */
  readonly allowList: CompiledAllowList | null;
  /** The list of its account, which must let the address in too; null lets every address in. */
  readonly accountList: CompiledAllowList | null;
  /** Null means enabled. */
  readonly disableReason: string | null;
  /** Milliseconds since 1970; null for a key without expiry. */
  readonly expiresAtMs: number | null;
  /** Which of the key's secrets was presented, counted from 1. */
  readonly secretNumber: number;
  /** When that secret was created, in milliseconds since 1970. */
  readonly issuedAtMs: number;
  /** When that secret stops working, in milliseconds since 1970; null for the current one. */
  readonly retiresAtMs: number | null;
  /** Counts the changes of the key. */
  readonly version: number;
}
