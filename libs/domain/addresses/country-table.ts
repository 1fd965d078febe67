import { parseIpAddress, type IpAddress } from './ip-address';

/** Which country addresses belong to: ranges in order, without overlap. */
export interface CountryTable {
  /** Two words a range: first, last. */
  readonly v4: Uint32Array;
  readonly countriesV4: readonly string[];
  /** Eight words a range: four of the first, four of the last address. */
  readonly v6: Uint32Array;
  readonly countriesV6: readonly string[];
}

const COUNTRY = /^[A-Z]{2}$/;

/**
 * Reads a table of ranges: lines of `first address,last address,country` in order, the country as two letters of ISO 3166-1.
 * Addresses between the ranges belong to no country. Empty lines and those that begin with `#` are skipped.
 *
 * @throws Error naming the first line that is not accepted
 */
export function parseCountryTable(text: string): CountryTable {
  const [v4, v6]: [number[], number[]] = [[], []];
  const [countriesV4, countriesV6]: [string[], string[]] = [[], []];
  let number = 0;
  for (const line of text.split('\n')) {
    number += 1;
    const given = line.trim().replaceAll('"', '');
    if (given === '' || given.startsWith('#')) continue;
    const [from = '', to = '', country = ''] = given.split(',').map((part) => part.trim());
    const [first, last] = [parseIpAddress(from), parseIpAddress(to)];
    if (!first || !last || first.family !== last.family || !COUNTRY.test(country))
      throw new Error(
        `line ${number}: "${given.slice(0, 100)}" is not accepted; write first address,last address,country, for example 192.0.2.0,192.0.2.255,DE`,
      );
    const words = first.family === 4 ? [first.w3, last.w3] : [...wordsOf(first), ...wordsOf(last)];
    const [ranges, countries] = first.family === 4 ? [v4, countriesV4] : [v6, countriesV6];
    const size = words.length / 2;
    const before = ranges.slice(-size);
    if (
      compare(words, 0, words, size, size) > 0 ||
      (before.length > 0 && compare(before, 0, words, 0, size) >= 0)
    )
      throw new Error(`line ${number}: "${given.slice(0, 100)}" begins before the range above it ends`);
    for (const word of words) ranges.push(word);
    countries.push(country);
  }
  return { v4: Uint32Array.from(v4), countriesV4, v6: Uint32Array.from(v6), countriesV6 };
}

/** The country of an address, as two letters; null when the table does not know. */
export function countryOf(table: CountryTable, address: IpAddress): string | null {
  const [ranges, countries, words] =
    address.family === 4
      ? [table.v4, table.countriesV4, [address.w3]]
      : [table.v6, table.countriesV6, wordsOf(address)];
  const size = words.length;
  let [low, high] = [0, countries.length];
  // How many ranges begin at or before the address: only the last of them can hold it.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(ranges, middle * 2 * size, words, 0, size) <= 0) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return null;
  return compare(ranges, (low - 1) * 2 * size + size, words, 0, size) >= 0 ? countries[low - 1]! : null;
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
