import { matchAllowList, type CompiledAllowList } from '../allow-lists/allow-list';
import type { ErrorCode, ErrorParams } from '../errors';
import { formatIpAddress, type IpAddress } from '../addresses/ip-address';
import { hasPermission, type Permission, type PermissionSet } from './permissions';
import type { Tier } from '../accounts/tiers';

/**
 * What the decision about a request needs to know of a key. Compiled when the key is loaded, and no freer than any of its
 * makers, see `narrowed`.
 */
export interface VerifiableKey {
  readonly keyId: string;
  readonly accountId: string;
  readonly accountStatus: 'active' | 'suspended' | 'closed';
  readonly tier: Tier;
  /** Generations of the account that may run at the same time. */
  readonly concurrencyLimit: number;
  /** How many requests are allowed in a minute, and under which key they are counted: its own id, or a maker's. */
  readonly requestLimit: { readonly keyId: string; readonly requestsPerMinute: number };
  /** The key that created this one, the key that created that one, and so on; none for a key that staff have created. */
  readonly makerIds: readonly string[];
  /** Why one of these is not in use: its disable reason, or `deleted`; null while all of them are. */
  readonly makerEnded: string | null;
  readonly permissions: PermissionSet;
  /** Null lets every address in. */
  readonly allowList: CompiledAllowList | null;
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

/** What the decision needs to know of the request. */
export interface KeyUse {
  /** Null when it cannot be known, see `clientAddress`. */
  readonly address: IpAddress | null;
  /** Null for an operation that every key may call. */
  readonly permission: Permission | null;
  readonly nowMs: number;
}

/** The steps of a decision, in the order in which they are taken. */
export type Gate = 'credential' | 'state' | 'account' | 'ip' | 'scope';

export type RefusalReason =
  | 'missing'
  | 'malformed'
  | 'unknown'
  | 'disabled'
  | 'maker_ended'
  | 'expired'
  | 'secret_retired'
  | 'account_suspended'
  | 'account_closed'
  | 'address_unknown'
  | 'address_not_listed'
  | 'list_corrupt'
  | 'permission_missing';

/** What a response can say about a key. */
type KeyRefusalCode = Extract<
  ErrorCode,
  'missing_api_key' | 'invalid_api_key' | 'ip_not_allowed' | 'insufficient_permissions'
>;

export interface Refusal {
  readonly allowed: false;
  readonly gate: Gate;
  /** What the response says. Credential, state and account share one code, so that it gives nothing away. */
  readonly code: KeyRefusalCode;
  readonly params: ErrorParams;
  /** The real reason, for logs and staff. Never for the caller. */
  readonly reason: RefusalReason;
}

type KeyDecision = { readonly allowed: true } | Refusal;

type GateCheck = (key: VerifiableKey, use: KeyUse) => Refusal | null;

const ALLOWED: KeyDecision = Object.freeze({ allowed: true });
const NO_PARAMS: ErrorParams = Object.freeze({});

/** Refusals of a request whose key is not known. */
export const CREDENTIAL_REFUSALS = Object.freeze({
  missing: refusal('credential', 'missing', 'missing_api_key'),
  malformed: refusal('credential', 'malformed', 'invalid_api_key'),
  unknown: refusal('credential', 'unknown', 'invalid_api_key'),
});

const DISABLED = refusal('state', 'disabled', 'invalid_api_key');
const MAKER_ENDED = refusal('state', 'maker_ended', 'invalid_api_key');
const EXPIRED = refusal('state', 'expired', 'invalid_api_key');
const RETIRED = refusal('state', 'secret_retired', 'invalid_api_key');
const SUSPENDED = refusal('account', 'account_suspended', 'invalid_api_key');
const CLOSED = refusal('account', 'account_closed', 'invalid_api_key');

const GATES: readonly (readonly [Gate, GateCheck])[] = [
  ['state', checkState],
  ['account', checkAccount],
  ['ip', checkAddress],
  ['scope', checkPermission],
];

/** Whether a known key may be used like this; the first gate that refuses decides. Pure and without effect. */
export function decide(key: VerifiableKey, use: KeyUse): KeyDecision {
  for (const [, check] of GATES) {
    const refused = check(key, use);
    if (refused) return refused;
  }
  return ALLOWED;
}

/** What one gate says, whatever the others say. */
export interface GateResult {
  gate: Gate;
  /** Null when the gate lets the request pass. */
  refusal: Refusal | null;
}

/** Every gate's decision in order, from the same checks as `decide`: its decision is the first refusal here. */
export function explainDecision(key: VerifiableKey, use: KeyUse): GateResult[] {
  const results = GATES.map(([gate, check]) => ({ gate, refusal: check(key, use) }));
  return [{ gate: 'credential', refusal: null }, ...results];
}

function checkState(key: VerifiableKey, { nowMs }: KeyUse): Refusal | null {
  if (key.disableReason !== null) return DISABLED;
  if (key.makerEnded !== null) return MAKER_ENDED;
  if (key.expiresAtMs !== null && !(nowMs < key.expiresAtMs)) return EXPIRED;
  return key.retiresAtMs === null || nowMs < key.retiresAtMs ? null : RETIRED;
}

function checkAccount({ accountStatus }: VerifiableKey): Refusal | null {
  if (accountStatus === 'active') return null;
  return accountStatus === 'suspended' ? SUSPENDED : CLOSED;
}

function checkAddress({ allowList }: VerifiableKey, { address, nowMs }: KeyUse): Refusal | null {
  if (allowList === null) return null;
  if (address === null) return refusal('ip', 'address_unknown', 'ip_not_allowed', { address: 'unknown' });
  if (matchAllowList(allowList, address, nowMs)) return null;
  const reason = allowList.corrupt === null ? 'address_not_listed' : 'list_corrupt';
  return refusal('ip', reason, 'ip_not_allowed', { address: formatIpAddress(address) });
}

function checkPermission({ permissions }: VerifiableKey, { permission }: KeyUse): Refusal | null {
  if (permission === null || hasPermission(permissions, permission)) return null;
  return refusal('scope', 'permission_missing', 'insufficient_permissions', { permission });
}

function refusal(gate: Gate, reason: RefusalReason, code: KeyRefusalCode, params = NO_PARAMS): Refusal {
  return Object.freeze({ allowed: false, gate, code, params, reason });
}
