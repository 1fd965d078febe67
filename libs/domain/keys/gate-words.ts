import { matchAllowList, compileAllowList } from '../allow-lists/allow-list';
import { formatIpAddress, type IpAddress } from '../addresses/ip-address';
import type { GateResult, KeyUse, RefusalReason, VerifiableKey } from './key-decision';

/** What a gate looked at, and what would change its decision, in sentences for staff. */
interface GateWords {
  rule: string;
  /** Null when the gate lets the request pass. */
  change: string | null;
}

/** An entry of the key's list, for naming the one that decides. */
export interface NamedEntry {
  readonly cidr: string;
  readonly note: string | null;
  readonly endsAt: Date | null;
}

const CHANGES: Record<RefusalReason, string> = {
  missing: 'Send the secret of a key.',
  malformed: 'Send the whole secret, as it was shown when it was created.',
  unknown: 'Use the secret of a key that exists.',
  disabled: 'Enable the key.',
  maker_ended: 'Enable the key that created it, or detach it from that key.',
  expired: 'Give the key a later expiry, or none.',
  secret_retired: 'Use the newest secret of the key: this one was replaced by a rotation.',
  account_suspended: 'Activate the account.',
  account_closed: 'Nothing: a closed account stays closed.',
  address_unknown: 'Have the proxies in front name the client in X-Forwarded-For.',
  address_not_listed: 'Add the address to the allow-list, or call from one that is on it.',
  list_corrupt: 'Save the allow-list again: what is stored cannot be read, so everybody is refused.',
  permission_missing: 'Give the key the permission.',
};

/**
 * Puts the decision of one gate into words.
 *
 * @param entries the key's list; null when it has none
 */
export function describeGate(
  { gate, refusal }: GateResult,
  key: VerifiableKey,
  use: KeyUse,
  entries: readonly NamedEntry[] | null,
): GateWords {
  const rules: Record<GateResult['gate'], () => string> = {
    credential: () => `Secret ${key.secretNumber} of the key is presented.`,
    state: () => describeState(key, use.nowMs),
    account: () => `The account is ${key.accountStatus}.`,
    ip: () => describeAddress(use, entries),
    scope: () => describeScope(use, refusal === null),
  };
  return { rule: rules[gate](), change: refusal && CHANGES[refusal.reason] };
}

function describeState(
  { disableReason, makerEnded, expiresAtMs, retiresAtMs }: VerifiableKey,
  nowMs: number,
): string {
  if (disableReason !== null) return `The key is disabled: ${disableReason}.`;
  if (makerEnded !== null) return `A key that it comes from is not in use: ${makerEnded}.`;
  if (expiresAtMs !== null && nowMs >= expiresAtMs) return `The key expired at ${instant(expiresAtMs)}.`;
  if (retiresAtMs !== null) {
    const tense = nowMs < retiresAtMs ? 'stops' : 'stopped';
    return `The key is enabled; this secret ${tense} working at ${instant(retiresAtMs)}.`;
  }
  return expiresAtMs === null
    ? 'The key is enabled and never expires.'
    : `The key is enabled until ${instant(expiresAtMs)}.`;
}

function describeAddress({ address, nowMs }: KeyUse, entries: readonly NamedEntry[] | null): string {
  if (entries === null) return 'The key has no allow-list: every address may use it.';
  if (address === null) return 'The key has an allow-list, and the origin of the request is unknown.';
  const text = formatIpAddress(address);
  const deciding = entries.find((entry) => covers(entry, address, nowMs));
  if (deciding) return `${text} is let in by the entry ${named(deciding)}.`;
  const ended = entries.find((entry) => covers(entry, address, -Infinity));
  if (ended) return `${text} was let in by the entry ${named(ended)}, which has ended.`;
  return `${text} is on none of the ${entries.length} entries of the allow-list.`;
}

function covers({ cidr, endsAt }: NamedEntry, address: IpAddress, nowMs: number): boolean {
  return matchAllowList(compileAllowList([cidr], endsAt ? { [cidr]: endsAt.getTime() } : {}), address, nowMs);
}

function named({ cidr, note, endsAt }: NamedEntry): string {
  return `${cidr}${note === null ? '' : ` (${note})`}${endsAt ? ` until ${endsAt.toISOString()}` : ''}`;
}

function describeScope({ permission }: KeyUse, passes: boolean): string {
  if (permission === null) return 'The operation needs no permission.';
  return `The operation needs the permission ${permission}, which the key ${passes ? 'has' : 'does not have'}.`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
