import { matchAllowList } from '@app/domain/allow-lists/allow-list';
import type { ErrorCode, ErrorParams } from '@app/domain/errors';
import { formatIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import { hasPermission, type Permission } from '@app/domain/keys/permissions';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';

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

/** Every gate's answer in order, from the same checks as `decide`: its decision is the first refusal here. */
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

/** Whether the address of a request with this outcome was let in, or would have been if the key had had no list. */
export function passedAddressGate(outcome: string): boolean {
  const names: string[] = GATES.map(([gate]) => gate);
  return !names.slice(0, names.indexOf('ip') + 1).includes(outcome);
}
