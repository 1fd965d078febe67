import { cidrAround, coversCidr, formatCidr, type Cidr } from '@app/domain/addresses/cidr';
import { parseIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';

/** Bits of a network whose addresses fit a square of 16 by 16. */
const NETWORK_BITS = 24;
const NETWORKS = 3;
const LAST_BYTE = 0xff;
export const SIDE = 16;

/** Requests from an address, and whether a list would refuse them. */
export interface Use {
  address: string;
  requests: number;
  refused: boolean;
}

/** A /24: which of its 256 addresses are on a list, and where requests came from. */
export interface NetworkMap {
  network: string;
  listed: boolean[];
  uses: (Use & { place: number })[];
  requests: number;
  refused: number;
}

/**
 * The networks of IPv4 that are on a list or that requests came from: those with refusals first, then the busiest. IPv6 has no
 * square, because a network of it has more addresses than a screen has points.
 */
export function mapAddresses(cidrs: readonly string[], uses: readonly Use[]): NetworkMap[] {
  const listed = cidrs.flatMap((cidr) => toCidr(cidr) ?? []).filter(({ family }) => family === 4);
  const maps = new Map<string, NetworkMap>();
  const mapOf = (address: IpAddress) => {
    const network = cidrAround(address, NETWORK_BITS);
    const name = formatCidr(network);
    const map = maps.get(name) ?? { ...emptyMap(network, listed), network: name };
    maps.set(name, map);
    return map;
  };
  for (const use of uses) {
    const address = parseIpAddress(use.address);
    if (address?.family !== 4) continue;
    const map = mapOf(address);
    map.uses.push({ ...use, place: address.w3 & LAST_BYTE });
    map.requests += use.requests;
    map.refused += use.refused ? use.requests : 0;
  }
  for (const { first } of listed) mapOf(first);
  return [...maps.values()]
    .sort((one, other) => other.refused - one.refused || other.requests - one.requests)
    .slice(0, NETWORKS);
}

/** Whether an address is in one of the blocks. */
export function isInside(address: string, cidrs: readonly string[]): boolean {
  const one = toCidr(address);
  if (one === null) return false;
  return cidrs.flatMap((cidr) => toCidr(cidr) ?? []).some((cidr) => coversCidr(cidr, one));
}

function toCidr(text: string): Cidr | null {
  const [first = '', prefix] = text.split('/');
  const address = parseIpAddress(first);
  return address && cidrAround(address, Number(prefix ?? (address.family === 4 ? 32 : 128)));
}

function emptyMap({ first }: Cidr, listed: readonly Cidr[]) {
  const isListed = (place: number) => {
    const address = cidrAround({ ...first, w3: first.w3 + place }, 32);
    return listed.some((cidr) => coversCidr(cidr, address));
  };
  return {
    listed: Array.from({ length: SIDE * SIDE }, (_, place) => isListed(place)),
    uses: [],
    requests: 0,
    refused: 0,
  };
}
