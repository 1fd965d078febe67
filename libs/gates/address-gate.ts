import { compileAllowList, matchAllowList } from '@app/domain/allow-lists/allow-list';
import { formatIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import {
  passes,
  refusal,
  refuses,
  type GateDecision,
  type DescribedUse,
  type KeyUse,
  type NamedEntry,
  type PureGate,
} from './gate';

/** Whether the key's allow-list has the address of the client. */
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
const CHANGES: Readonly<Record<string, string>> = {
  address_unknown: 'Have the proxies in front name the client in X-Forwarded-For.',
  address_not_listed: 'Add the address to the allow-list, or call from one that is on it.',
  list_corrupt: 'Save the allow-list again: what is stored cannot be read, so everybody is refused.',
};

function decideAddress({
  key: { allowList },
  address,
  nowMs,
}: Pick<KeyUse, 'key' | 'address' | 'nowMs'>): GateDecision<'ip_not_allowed'> {
  if (allowList === null) return null;
  if (address === null) return refusal('address_unknown', 'ip_not_allowed', { address: 'unknown' });
  if (matchAllowList(allowList, address, nowMs)) return null;
  const reason = allowList.corrupt === null ? 'address_not_listed' : 'list_corrupt';
  return refusal(reason, 'ip_not_allowed', { address: formatIpAddress(address) });
}

function describeAddress({ address, entries, nowMs }: DescribedUse): string {
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
