import { MAX_ALLOW_LIST_ENTRIES } from '../allow-lists/allow-list';
import type { AddressUse } from './traffic';
import { cidrAround, coversCidr, formatCidr, type Cidr } from '../addresses/cidr';
import { formatIpAddress, parseIpAddress, type IpAddress } from '../addresses/ip-address';

/** A block that a list could have, and the requests that came from it. */
interface SuggestedEntry {
  cidr: string;
  /** Different addresses that were seen in it. */
  addresses: number;
  requests: number;
  firstAt: Date;
  lastAt: Date;
}

export interface Suggestion {
  /** Most requests first. */
  entries: SuggestedEntry[];
  requests: number;
  /** Requests that the entries would let in. */
  covered: number;
}

/**
 * The widest block that is suggested for addresses that lie together. IPv4: what a small company gets, and the
 * longest prefix that is routed between networks. IPv6: one link, within which a host changes its address at will
 * (RFC 4291 2.5.4, RFC 8981).
 */
const WIDEST = { 4: 24, 6: 64 } as const;

/**
 * Suggests an allow-list from the addresses a key was used from: single IPv4 addresses, the smallest block around several
 * that share a /24, and the /64 of IPv6 addresses. If that is more than a list may have, the blocks with the fewest
 * requests are left out, and the coverage says so.
 */
export function suggestAllowList(uses: readonly AddressUse[]): Suggestion {
  const blocks = new Map<string, Sighting[]>();
  for (const use of uses) {
    const address = parseIpAddress(use.address);
    if (!address) continue;
    const block = formatCidr(cidrAround(address, WIDEST[address.family]));
    blocks.set(block, [...(blocks.get(block) ?? []), { ...use, at: address }]);
  }
  const entries = [...blocks.values()]
    .map(toEntry)
    .toSorted((a, b) => b.requests - a.requests || (a.cidr < b.cidr ? -1 : 1))
    .slice(0, MAX_ALLOW_LIST_ENTRIES);
  const sum = (all: readonly { requests: number }[]) =>
    all.reduce((total, { requests }) => total + requests, 0);
  return { entries, requests: sum(uses), covered: sum(entries) };
}

type Sighting = AddressUse & { at: IpAddress };

function toEntry(seen: Sighting[]): SuggestedEntry {
  const times = (pick: (use: AddressUse) => Date) => seen.map((use) => pick(use).getTime());
  return {
    cidr: formatCidr(smallestAround(seen.map(({ at }) => at))),
    addresses: new Set(seen.map(({ at }) => formatIpAddress(at))).size,
    requests: seen.reduce((total, { requests }) => total + requests, 0),
    firstAt: new Date(Math.min(...times(({ firstAt }) => firstAt))),
    lastAt: new Date(Math.max(...times(({ lastAt }) => lastAt))),
  };
}

function smallestAround(addresses: IpAddress[]): Cidr {
  const first = addresses[0]!;
  if (first.family === 6) return cidrAround(first, WIDEST[6]);
  for (let prefix = 32; prefix > WIDEST[4]; prefix--) {
    const block = cidrAround(first, prefix);
    if (addresses.every((address) => coversCidr(block, cidrAround(address, 32)))) return block;
  }
  return cidrAround(first, WIDEST[4]);
}
