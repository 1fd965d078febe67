import { mergeCidrs, type Cidr } from './cidr';
import type { IpAddress } from './ip-address';

/** Sorted ranges without overlap, for binary search. Bounds are inclusive. */
export interface AddressSet {
  /** Two words a range: first, last. */
  readonly v4: Uint32Array;
  /** Eight words a range: four of the first, four of the last address. */
  readonly v6: Uint32Array;
}

const NO_RANGES = new Uint32Array(0);

/** Compiles blocks to a set, in any order and with any overlap. */
export function compileAddressSet(cidrs: readonly Cidr[]): AddressSet {
  const merged = mergeCidrs(cidrs);
  const v4 = merged.flatMap(({ family, first, last }) => (family === 4 ? [first.w3, last.w3] : []));
  const v6 = merged.flatMap(({ family, first, last }) =>
    family === 6 ? [...words(first), ...words(last)] : [],
  );
  return {
    v4: v4.length > 0 ? Uint32Array.from(v4) : NO_RANGES,
    v6: v6.length > 0 ? Uint32Array.from(v6) : NO_RANGES,
  };
}

function words(address: IpAddress): number[] {
  return [address.w0, address.w1, address.w2, address.w3];
}

/** Whether an address is in the set. An IPv4 address is only ever found in IPv4 ranges. */
export function containsAddress(set: AddressSet, address: IpAddress): boolean {
  return address.family === 4 ? containsIpv4(set.v4, address.w3) : containsIpv6(set.v6, address);
}

function containsIpv4(ranges: Uint32Array, value: number): boolean {
  let low = 0;
  let high = ranges.length >>> 1;
  // Finds how many ranges begin at or before the value; only the last of them can hold it.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[2 * middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value <= (ranges[2 * low - 1] ?? 0);
}

function containsIpv6(ranges: Uint32Array, address: IpAddress): boolean {
  let low = 0;
  let high = ranges.length >>> 3;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareAt(ranges, 8 * middle, address) <= 0) low = middle + 1;
    else high = middle;
  }
  return low > 0 && compareAt(ranges, 8 * low - 4, address) >= 0;
}

/** Negative, zero or positive as the bound at `offset` is before, at or after the address. */
function compareAt(ranges: Uint32Array, offset: number, address: IpAddress): number {
  return (
    (ranges[offset] ?? 0) - address.w0 ||
    (ranges[offset + 1] ?? 0) - address.w1 ||
    (ranges[offset + 2] ?? 0) - address.w2 ||
    (ranges[offset + 3] ?? 0) - address.w3
  );
}
