import { parseIpAddress, type IpAddress } from './ip-address';

/** Ranges of one family in the order of their first addresses. They may overlap: the one that begins last counts. */
interface Ranges {
  /** The first and the last address of each: two words a range for IPv4, eight for IPv6. */
  readonly words: Uint32Array;
  readonly countries: readonly string[];
  /** For each range, the nearest one before it that ends after it: what may hold an address behind its end. -1 for none. */
  readonly around: Int32Array;
}

/** Which country addresses belong to. */
export interface CountryTable {
  readonly v4: Ranges;
  readonly v6: Ranges;
}

const COUNTRY = /^[A-Z]{2}$/;

/**
 * Reads a table of ranges: lines of `first address,last address,country` in the order of their first addresses, the country as
 * two letters of ISO 3166-1. Ranges may overlap, as those of published tables do: the one that begins last counts. Addresses
 * between the ranges belong to no country. Empty lines and those that begin with `#` are skipped.
 *
 * @throws Error naming the first line that is not accepted
 */
export function parseCountryTable(text: string): CountryTable {
  const [v4, v6]: [number[], number[]] = [[], []];
  const [countriesV4, countriesV6]: [string[], string[]] = [[], []];
  // Of half a million ranges, each of some 250 countries is held once.
  const known = new Map<string, string>();
  let number = 0;
  for (const line of linesOf(text)) {
    number += 1;
    const input = line.trim().replaceAll('"', '');
    if (input === '' || input.startsWith('#')) continue;
    const [from = '', to = '', country = ''] = input.split(',').map((part) => part.trim());
    const [first, last] = [parseIpAddress(from), parseIpAddress(to)];
    if (!first || !last || first.family !== last.family || !COUNTRY.test(country))
      throw new Error(
        `line ${number}: "${input.slice(0, 100)}" is not accepted; write first address,last address,country, for example 192.0.2.0,192.0.2.255,DE`,
      );
    const words = first.family === 4 ? [first.w3, last.w3] : [...wordsOf(first), ...wordsOf(last)];
    const [ranges, countries] = first.family === 4 ? [v4, countriesV4] : [v6, countriesV6];
    const size = words.length / 2;
    if (compare(words, 0, words, size, size) > 0)
      throw new Error(`line ${number}: "${input.slice(0, 100)}" ends before it begins`);
    if (ranges.length > 0 && compare(ranges, ranges.length - 2 * size, words, 0, size) > 0)
      throw new Error(`line ${number}: "${input.slice(0, 100)}" begins before the range above it`);
    for (const word of words) ranges.push(word);
    if (!known.has(country)) known.set(country, country);
    countries.push(known.get(country)!);
  }
  return { v4: toRanges(v4, countriesV4), v6: toRanges(v6, countriesV6) };
}

/** Line by line: a published table has hundreds of thousands. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from <= text.length;) {
    const to = text.indexOf('\n', from);
    yield text.slice(from, to === -1 ? undefined : to);
    from = to === -1 ? text.length + 1 : to + 1;
  }
}

function toRanges(words: readonly number[], countries: readonly string[]): Ranges {
  const size = words.length / Math.max(countries.length, 1) / 2;
  const around = new Int32Array(countries.length);
  const ends = (index: number) => index * 2 * size + size;
  for (let index = 0; index < countries.length; index += 1) {
    let before = index - 1;
    while (before >= 0 && compare(words, ends(before), words, ends(index), size) <= 0)
      before = around[before]!;
    around[index] = before;
  }
  return { words: Uint32Array.from(words), countries, around };
}

/** The country of an address, as two letters; null when the table does not know. */
export function countryOf(table: CountryTable, address: IpAddress): string | null {
  const [{ words: ranges, countries, around }, words] =
    address.family === 4 ? [table.v4, [address.w3]] : [table.v6, wordsOf(address)];
  const size = words.length;
  let [low, high] = [0, countries.length];
  // How many ranges begin at or before the address: the last of them holds it, or one around that.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(ranges, middle * 2 * size, words, 0, size) <= 0) low = middle + 1;
    else high = middle;
  }
  let index = low - 1;
  while (index >= 0 && compare(ranges, index * 2 * size + size, words, 0, size) < 0) index = around[index]!;
  return index < 0 ? null : countries[index]!;
}

function compare(
  a: ArrayLike<number>,
  fromA: number,
  b: ArrayLike<number>,
  fromB: number,
  size: number,
): number {
  for (let index = 0; index < size; index += 1) {
    const difference = a[fromA + index]! - b[fromB + index]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function wordsOf({ w0, w1, w2, w3 }: IpAddress): number[] {
  return [w0, w1, w2, w3];
}
