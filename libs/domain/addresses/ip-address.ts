/**
 * An IP address as a number of 128 bits in four unsigned words. IPv4 is stored in its IPv4-mapped place (`::ffff:0:0/96`,
 * RFC 4291 2.5.5.2), so the value is in `w3` and both families compare the same way.
 */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
}

const [DOT, COLON, ZERO, NINE, LOWER_A] = [0x2e, 0x3a, 0x30, 0x39, 0x61];
const MAPPED_WORD = 0xffff;
const groups = new Uint16Array(8);

/**
 * Reads the text of an IPv4 or IPv6 address; null if it is none.
 *
 * Accepts what `net.isIP` accepts except zone ids: no leading zeros, short, hexadecimal or octal IPv4 forms, no brackets,
 * no port, no white space. An IPv4-mapped IPv6 address is the IPv4 address.
 */
export function parseIpAddress(text: string): IpAddress | null {
  // The longest address is 45 characters (six groups and a dotted tail).
  if (text.length > 45) return null;
  if (text.includes(':')) return parseIpv6(text);
  const value = parseDotted(text, 0);
  return value < 0 ? null : ipv4(value);
}

/** The IPv4 address with this value, 0 to 2^32 - 1. */
export function ipv4(value: number): IpAddress {
  return { family: 4, w0: 0, w1: 0, w2: MAPPED_WORD, w3: value };
}

/** The address with these words; one in `::ffff:0:0/96` is IPv4. */
export function fromWords(w0: number, w1: number, w2: number, w3: number): IpAddress {
  return w0 === 0 && w1 === 0 && w2 === MAPPED_WORD ? ipv4(w3) : { family: 6, w0, w1, w2, w3 };
}

/** -1, 0 or 1 as `a` is before, at or after `b`. All IPv4 addresses are neighbours. */
export function compareAddresses(a: IpAddress, b: IpAddress): number {
  return Math.sign(a.w0 - b.w0 || a.w1 - b.w1 || a.w2 - b.w2 || a.w3 - b.w3);
}

/** Whether two addresses are the same one. */
export function isSameAddress(a: IpAddress, b: IpAddress): boolean {
  return a.w3 === b.w3 && a.w2 === b.w2 && a.w1 === b.w1 && a.w0 === b.w0;
}

/** Value of the dotted IPv4 text from `start` to the end, or -1. */
function parseDotted(text: string, start: number): number {
  let value = 0;
  let octet = -1;
  let dots = 0;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (octet < 0 || ++dots > 3) return -1;
      value = value * 256 + octet;
      octet = -1;
    } else {
      // A digit after a leading zero is refused: some programs would read it as octal.
      if (code < ZERO || code > NINE || octet === 0) return -1;
      octet = octet < 0 ? code - ZERO : octet * 10 + code - ZERO;
      if (octet > 255) return -1;
    }
  }
  return dots === 3 && octet >= 0 ? value * 256 + octet : -1;
}

/** RFC 4291 2.2: eight groups of 1 to 4 digits, one `::` for at least one group, the last two groups perhaps dotted. */
function parseIpv6(text: string): IpAddress | null {
  const end = text.length;
  let count = 0;
  let gap = text.startsWith('::') ? 0 : -1;
  let i = gap === 0 ? 2 : 0;
  while (i < end) {
    if (count === 8) return null;
    const groupStart = i;
    let value = 0;
    for (let digit; i < end && (digit = hexDigit(text.charCodeAt(i))) >= 0; i++) value = value * 16 + digit;
    if (i < end && text.charCodeAt(i) === DOT) {
      const dotted = parseDotted(text, groupStart);
      if (dotted < 0 || count > 6) return null;
      groups[count++] = dotted >>> 16;
      groups[count++] = dotted & 0xffff;
      break;
    }
    if (i === groupStart || i - groupStart > 4) return null;
    groups[count++] = value;
    if (i === end) break;
    if (text.charCodeAt(i++) !== COLON || i === end) return null;
    if (text.charCodeAt(i) === COLON) {
      if (gap >= 0) return null;
      gap = count;
      i++;
    }
  }
  if (gap < 0 ? count !== 8 : count === 8) return null;
  return fromGroups(count, gap);
}

/** The address of the first `count` groups, with zeros put in at `gap` (when there is one). */
function fromGroups(count: number, gap: number): IpAddress {
  if (gap >= 0) {
    const zeros = 8 - count;
    for (let to = 7; to >= gap + zeros; to--) groups[to] = groups[to - zeros] ?? 0;
    for (let to = gap; to < gap + zeros; to++) groups[to] = 0;
  }
  return fromWords(word(0), word(2), word(4), word(6));
}

function word(index: number): number {
  return (groups[index] ?? 0) * 0x10000 + (groups[index + 1] ?? 0);
}

function hexDigit(code: number): number {
  if (code >= ZERO && code <= NINE) return code - ZERO;
  const letter = (code | 0x20) - LOWER_A;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/** The canonical text: dotted decimal, or RFC 5952 (lower case, the first longest run of zero groups as `::`). */
export function formatIpAddress(address: IpAddress): string {
  const { family, w0, w1, w2, w3 } = address;
  if (family === 4) return [w3 >>> 24, (w3 >>> 16) & 0xff, (w3 >>> 8) & 0xff, w3 & 0xff].join('.');
  const all = [w0, w1, w2, w3].flatMap((part) => [part >>> 16, part & 0xffff]);
  const run = longestZeroRun(all);
  if (run.length < 2) return hex(all);
  return `${hex(all.slice(0, run.start))}::${hex(all.slice(run.start + run.length))}`;
}

function hex(all: number[]): string {
  return all.map((group) => group.toString(16)).join(':');
}

function longestZeroRun(all: number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of all.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: index - length + 1, length };
  }
  return best;
}
