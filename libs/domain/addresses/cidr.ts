import { compareAddresses, formatIpAddress, ipv4, type IpAddress } from './ip-address';

/** A block of addresses with `prefix` fixed bits, from `first` to `last`. The host bits of `first` are zero. */
export interface Cidr {
  readonly family: 4 | 6;
  /** 0-32 for IPv4, 0-128 for IPv6. */
  readonly prefix: number;
  readonly first: IpAddress;
  readonly last: IpAddress;
}

/** The block of `prefix` bits around an address; the host bits of the address are dropped. */
export function cidrAround(address: IpAddress, prefix: number): Cidr {
  const { family, w0, w1, w2, w3 } = address;
  if (family === 4) {
    const first = firstOf(w3, prefix);
    return { family, prefix, first: ipv4(first), last: ipv4(lastOf(w3, prefix)) };
  }
  return {
    family,
    prefix,
    first: {
      family,
      w0: firstOf(w0, prefix),
      w1: firstOf(w1, prefix - 32),
      w2: firstOf(w2, prefix - 64),
      w3: firstOf(w3, prefix - 96),
    },
    last: {
      family,
      w0: lastOf(w0, prefix),
      w1: lastOf(w1, prefix - 32),
      w2: lastOf(w2, prefix - 64),
      w3: lastOf(w3, prefix - 96),
    },
  };
}

function firstOf(word: number, fixedBits: number): number {
  return (word & ~hostMask(fixedBits)) >>> 0;
}

function lastOf(word: number, fixedBits: number): number {
  return (word | hostMask(fixedBits)) >>> 0;
}

function hostMask(fixedBits: number): number {
  if (fixedBits <= 0) return -1;
  return fixedBits >= 32 ? 0 : -1 >>> fixedBits;
}

/** The canonical text, always with a prefix: `192.0.2.7/32`, `2001:db8::/32`. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIpAddress(cidr.first)}/${cidr.prefix}`;
}

/** Whether every address of `inner` is in `outer`. */
export function coversCidr(outer: Cidr, inner: Cidr): boolean {
  return (
    outer.family === inner.family &&
    compareAddresses(outer.first, inner.first) <= 0 &&
    compareAddresses(inner.last, outer.last) <= 0
  );
}

/** The two halves of a block that is more than one address. */
export function halvesOf({ prefix, first, last }: Cidr): readonly [Cidr, Cidr] {
  return [cidrAround(first, prefix + 1), cidrAround(last, prefix + 1)];
}

/** Whether two blocks share an address. Blocks are nested or apart, never partly over each other. */
export function overlapsCidr(a: Cidr, b: Cidr): boolean {
  return coversCidr(a, b) || coversCidr(b, a);
}

/** Whether a block begins right after another one ends. */
export function followsCidr({ family, last }: Cidr, next: Cidr): boolean {
  return family === next.family && valueOf(last) + 1n === valueOf(next.first);
}

function valueOf({ w0, w1, w2, w3 }: IpAddress): bigint {
  return [w0, w1, w2, w3].reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
}

/** The same addresses without repetition: sorted, IPv4 first, blocks inside another one dropped. Neighbours stay apart. */
export function mergeCidrs(cidrs: readonly Cidr[]): Cidr[] {
  const sorted = cidrs.toSorted(
    (a, b) => a.family - b.family || compareAddresses(a.first, b.first) || a.prefix - b.prefix,
  );
  const merged: Cidr[] = [];
  for (const cidr of sorted) {
    const previous = merged.at(-1);
    if (!previous || !coversCidr(previous, cidr)) merged.push(cidr);
  }
  return merged;
}
