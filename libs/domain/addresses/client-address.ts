import { compileAddressSet, containsAddress, type AddressSet } from './address-set';
import { parseAllowListEntry, shown, type Problem } from './address-entry';
import type { Cidr } from './cidr';
import { formatIpAddress, parseIpAddress, type IpAddress } from './ip-address';

/** The proxies whose `X-Forwarded-For` is believed. */
export interface TrustedProxies {
  readonly cidrs: readonly Cidr[];
  readonly set: AddressSet;
}

/**
 * Compiles `TRUSTED_PROXIES`: addresses and CIDRs under the same strict rules as an allow-list, so no `/0`. Hop counts and
 * `true` are not addresses and are refused: with them a client chooses its own address. An empty list trusts no peer.
 *
 * @returns the problems of all bad entries; with any of them, no peer is trusted
 */
export function compileTrustedProxies(entries: readonly string[]): {
  trusted: TrustedProxies;
  problems: Problem[];
} {
  const parsed = entries.map((entry, index) => parseAllowListEntry(entry, index));
  const problems = parsed.flatMap((entry) => (entry.ok ? [] : [entry.problem]));
  const cidrs = problems.length > 0 ? [] : parsed.flatMap((entry) => (entry.ok ? [entry.cidr] : []));
  return { trusted: { cidrs, set: compileAddressSet(cidrs) }, problems };
}

/** An address in brackets with or without a port, or an IPv4 address with a port. */
const HOP = /^(?:\[([^\]]*)\]|([\d.]+)(?=:))(?::(\d{1,5}))?$/;

type ClientAddress =
  | { readonly address: IpAddress }
  /** The client's address is unknown: `input` is the text that could not be read, for the log. */
  | { readonly address: null; readonly reason: 'no_peer' | 'unparsable'; readonly input: string };

/**
 * The address of the client behind a request.
 *
 * It is the peer of the connection, unless that is a trusted proxy: then `X-Forwarded-For` is walked from the right, where
 * the nearest proxy wrote, to the first address that is not trusted. Everything left of it may be the client's invention
 * and is not even parsed. A hop may have a port. When all of it is trusted, the leftmost address is the client. Other
 * headers are ignored.
 *
 * @param peer remote address of the socket; undefined for a Unix socket or a closed connection
 * @param xForwardedFor the header as Node gives it; several header lines count as one, in their order (RFC 9110 5.3)
 */
export function clientAddress(
  peer: string | undefined,
  xForwardedFor: string | readonly string[] | undefined,
  trusted: TrustedProxies,
): ClientAddress {
  if (!peer) return { address: null, reason: 'no_peer', input: '' };
  const address = parseIpAddress(peer);
  if (!address) return unparsable(peer);
  if (!xForwardedFor || !containsAddress(trusted.set, address)) return { address };
  const header = typeof xForwardedFor === 'string' ? xForwardedFor : xForwardedFor.join(',');
  return header.trim() === '' ? { address } : firstUntrusted(header, trusted);
}

function firstUntrusted(header: string, trusted: TrustedProxies): ClientAddress {
  for (let end = header.length; ;) {
    const comma = header.lastIndexOf(',', end - 1);
    const hop = header.slice(comma + 1, end).trim();
    // An empty hop is not an address either: a proxy that could not name its peer must not make us believe the next one.
    const address = parseHop(hop);
    if (!address) return unparsable(hop);
    if (comma < 0 || !containsAddress(trusted.set, address)) return { address };
    end = comma;
  }
}

/** The text of a hop, which may have a port: `203.0.113.9:1234`, `[2001:db8::1]:443`, `[2001:db8::1]`. */
function parseHop(text: string): IpAddress | null {
  const [, bracketed, plain, port = '0'] = HOP.exec(text) ?? [];
  if (Number(port) > 65_535) return null;
  if (bracketed === undefined) return parseIpAddress(plain ?? text);
  // In brackets there is an IPv6 address (RFC 3986, 3.2.2).
  return bracketed.includes(':') ? parseIpAddress(bracketed) : null;
}

/**
 * The network that limits per address count by: an IPv4 address, or the /64 that one IPv6 subscriber has. All requests from
 * unknown addresses are one network.
 */
export function networkOf(address: IpAddress | null): string {
  if (!address) return 'an unknown address';
  if (address.family === 4) return formatIpAddress(address);
  return `${formatIpAddress({ ...address, w2: 0, w3: 0 })}/64`;
}

function unparsable(input: string): ClientAddress {
  return { address: null, reason: 'unparsable', input: shown(input) };
}
