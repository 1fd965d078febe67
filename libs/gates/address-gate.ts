import { compileAllowList, matchAllowList, type CompiledAllowList } from '@app/domain/allow-lists/allow-list';
import { formatIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import { plural } from '@app/domain/common/sentences';
import {
  passes,
  refusal,
  refuses,
  type GateDecision,
  type DescribedUse,
  type Change,
  type KeyUse,
  type NamedEntry,
  type PureGate,
} from './gate';

/** Whether the allow-lists of the key and of its account have the address of the client. */
export const ADDRESS: PureGate<'ip', KeyUse, 'ip_not_allowed'> = {
  name: 'ip',
  decide: decideAddress,
  describe(request) {
    const rule = describeAddress(request);
    const refused = decideAddress(request);
    return refused ? refuses(rule, refused.code, CHANGES[refused.reason]!) : passes(rule);
  },
};

/** What would change a refusal, by its reason. */
const CHANGES: Readonly<Record<string, Change>> = {
  address_unknown: ['Have the proxies in front name the client in X-Forwarded-For.', null],
  address_not_listed: ['Add the address to the allow-list, or call from one that is on it.', 'list_of_key'],
  address_not_listed_by_account: [
    'Add the address to the allow-list of the account, or call from one that is on it: both lists must let it in.',
    'list_of_account',
  ],
  account_list_corrupt: [
    'Save the allow-list of the account again: what is stored cannot be read, so everybody is refused.',
    'list_of_account',
  ],
  list_corrupt: [
    'Save the allow-list again: what is stored cannot be read, so everybody is refused.',
    'list_of_key',
  ],
};

function decideAddress({
  key: { allowList, accountList },
  address,
  nowMs,
}: Pick<KeyUse, 'key' | 'address' | 'nowMs'>): GateDecision<'ip_not_allowed'> {
  if (allowList === null && accountList === null) return null;
  if (address === null) return refusal('address_unknown', 'ip_not_allowed', { address: 'unknown' });
  if (allowList !== null && !matchAllowList(allowList, address, nowMs))
    return refused(allowList, address, 'address_not_listed', 'list_corrupt');
  if (accountList !== null && !matchAllowList(accountList, address, nowMs))
    return refused(accountList, address, 'address_not_listed_by_account', 'account_list_corrupt');
  return null;
}

function refused(
  { corrupt }: CompiledAllowList,
  address: IpAddress,
  reason: string,
  corruptReason: string,
): GateDecision<'ip_not_allowed'> {
  const params = { address: formatIpAddress(address) };
  return refusal(corrupt === null ? reason : corruptReason, 'ip_not_allowed', params);
}

function describeAddress({ address, entries, accountEntries, nowMs }: DescribedUse): string {
  const ofAccount = accountEntries && describeList(accountEntries, 'account', address, nowMs);
  if (entries === null)
    return ofAccount === null ? 'The key has no allow-list: every address may use it.' : ofAccount;
  const ofKey = describeList(entries, 'key', address, nowMs);
  return ofAccount === null ? ofKey : `${ofKey} ${ofAccount}`;
}

/** What the entries of an allow-list say of an address. */
export function describeList(
  entries: readonly NamedEntry[],
  owner: 'key' | 'account' | 'credential',
  address: IpAddress | null,
  nowMs: number,
): string {
  if (address === null) return `The ${owner} has an allow-list, and the origin of the request is unknown.`;
  const text = formatIpAddress(address);
  const list = owner === 'account' ? 'the allow-list of the account' : 'the allow-list';
  const entryOf = owner === 'account' ? "the account's entry" : 'the entry';
  const deciding = entries.find((entry) => covers(entry, address, nowMs));
  if (deciding) return `${text} is let in by ${entryOf} ${named(deciding)}.`;
  const ended = entries.find((entry) => covers(entry, address, -Infinity));
  if (ended) return `${text} was let in by ${entryOf} ${named(ended)}, which has ended.`;
  return `${text} is not on ${list} (${plural(entries.length, 'entry', 'entries')}).`;
}

function covers({ cidr, endsAt }: NamedEntry, address: IpAddress, nowMs: number): boolean {
  return matchAllowList(compileAllowList([cidr], endsAt ? { [cidr]: endsAt.getTime() } : {}), address, nowMs);
}

function named({ cidr, note, endsAt }: NamedEntry): string {
  return `${cidr}${note === null ? '' : ` (${note})`}${endsAt ? ` until ${endsAt.toISOString()}` : ''}`;
}
