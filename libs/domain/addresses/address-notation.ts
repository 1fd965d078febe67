import { cidrAround, halvesOf, type Cidr } from './cidr';
import { compareAddresses, parseIpAddress, type IpAddress } from './ip-address';

/** What a text means that names addresses in another way than an allow-list stores them. */
export interface Notation {
  /** What it is: `a range`. */
  kind: string;
  /** The fewest blocks that hold exactly these addresses. */
  blocks: Cidr[];
}

/**
 * Reads a range (`10.0.0.1-10.0.0.9`, `10.0.0.1-9`), a wildcard (`10.0.0.*`), a network with its netmask, or an address with
 * a port, brackets or a URL around it. Null for everything else, and for a range that ends before it begins.
 */
export function readNotation(text: string): Notation | null {
  return readWildcard(text) ?? readMask(text) ?? readRange(text) ?? readWrapped(text);
}

/** `10.0.0.*`, `10.0.*`, `10.0.x.x`: what is fixed, and then only wildcards. */
function readWildcard(text: string): Notation | null {
  const parts = text.split('.', 5);
  const fixed = parts.filter((part) => !isWildcard(part));
  if (fixed.length === 0 || fixed.length === parts.length || parts.length > 4) return null;
  if (!parts.slice(fixed.length).every(isWildcard)) return null;
  const first = parseIpAddress([...fixed, '0', '0', '0'].slice(0, 4).join('.'));
  return first && { kind: 'a wildcard', blocks: [cidrAround(first, 8 * fixed.length)] };
}

function isWildcard(part: string): boolean {
  return part === '*' || part === 'x' || part === 'X';
}

/** What may stand between a network and its netmask, beside separators. */
const BEFORE_MASK = new Set(['', 'mask', 'netmask', 'subnet mask', 'with mask', 'with netmask']);

/** `10.0.0.0 255.255.255.0`, `10.0.0.0/255.255.255.0`, `10.0.0.0 0.0.0.255`. */
function readMask(text: string): Notation | null {
  const numbers = text.split(/[^\d.]+/);
  const [from = '', to = ''] = [numbers[0], numbers.at(-1)];
  const network = parseIpAddress(from);
  const mask = parseIpAddress(to);
  if (numbers.length !== 2 || !network || !mask) return null;
  const between = text.slice(from.length, -to.length).replace(/[\s,;|/:=()'"]+/g, ' ');
  const prefix = prefixOfMask(mask.w3);
  if (prefix === null || !BEFORE_MASK.has(between.trim().toLowerCase())) return null;
  return { kind: 'a network with its netmask', blocks: [cidrAround(network, prefix)] };
}

/** The prefix, 8 to 32, that the bits of a netmask or of its reverse, a wildcard mask, stand for; null for other bits. */
export function prefixOfMask(bits: number): number | null {
  const [ones, zeros] = [Math.clz32(~bits), Math.clz32(bits)];
  if (ones >= 8) return bits === netmask(ones) ? ones : null;
  return zeros >= 8 && zeros < 32 && ~bits >>> 0 === netmask(zeros) ? zeros : null;
}

function netmask(prefix: number): number {
  return (-1 << (32 - prefix)) >>> 0;
}

const BETWEEN_ENDS = /\s?(?:[-–—…]|\.{2,3})\s?|\s(?:to|through)\s/i;

function readRange(text: string): Notation | null {
  const [from = '', to = '', more] = text.split(BETWEEN_ENDS, 3);
  const first = parseIpAddress(from);
  if (!first || more !== undefined) return null;
  const isShort = first.family === 4 && /^\d{1,3}$/.test(to);
  const last = parseIpAddress(isShort ? from.slice(0, from.lastIndexOf('.') + 1) + to : to);
  if (last?.family !== first.family || compareAddresses(first, last) > 0) return null;
  return { kind: 'a range', blocks: blocksBetween(first, last, cidrAround(first, 0)) };
}

/** The blocks inside `within` that together are the addresses from `first` to `last`. */
function blocksBetween(first: IpAddress, last: IpAddress, within: Cidr): Cidr[] {
  const isApart = compareAddresses(within.last, first) < 0 || compareAddresses(within.first, last) > 0;
  if (isApart) return [];
  const isInside = compareAddresses(within.first, first) >= 0 && compareAddresses(within.last, last) <= 0;
  return isInside ? [within] : halvesOf(within).flatMap((half) => blocksBetween(first, last, half));
}

/** `https://192.0.2.7:8443/path`, `[2001:db8::1]:443`, `IP:192.0.2.7`, `192.0.2.0 /24`. A path is not read, a prefix is. */
function readWrapped(text: string): Notation | null {
  const label = /^[a-z][a-z\d+.-]*:(?:\/\/)?/i.exec(text)?.[0] ?? '';
  const bracket = text.indexOf(']');
  const isBracketed = text[label.length] === '[' && bracket > 0;
  const inner = isBracketed ? text.slice(label.length + 1, bracket) : text.slice(label.length);
  const slash = inner.indexOf('/');
  const host = (slash < 0 ? inner : inner.slice(0, slash)).trim();
  const bare = isBracketed ? host : host.replace(/:\d{1,5}$/, '');
  const address = parseIpAddress(bare) ?? parseIpAddress(host);
  if (!address) return null;
  const rest = `${slash < 0 ? '' : inner.slice(slash)}${isBracketed ? text.slice(bracket + 1) : ''}`;
  const [, prefixText] = /^(?::\d{1,5})?\s?\/\s?([1-9]\d{0,2})\/?(?::\d{1,5})?$/.exec(rest) ?? [];
  const isRead = prefixText !== undefined || /^(?::\d{1,5})?\/?$/.test(rest) || label.endsWith('//');
  const longest = address.family === 4 ? 32 : 128;
  const prefix = Number(prefixText ?? longest);
  // The prefix of an IPv4 address in IPv6 form is counted differently.
  const isMapped = address.family === 4 && bare.includes(':');
  if (!isRead || isMapped || prefix > longest) return null;
  return { kind: 'an address with something around it', blocks: [cidrAround(address, prefix)] };
}
