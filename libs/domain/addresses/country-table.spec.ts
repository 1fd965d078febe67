import fc from 'fast-check';
import { countryOf, parseCountryTable } from './country-table';
import { parseIpAddress } from './ip-address';

const TABLE = parseCountryTable(
  '# a table\n192.0.2.0,192.0.2.127,DE\n192.0.2.128,192.0.2.255,"FR"\n\n198.51.100.7,198.51.100.7,AT\r\n2001:db8::,2001:db8:0:ffff:ffff:ffff:ffff:ffff,JP\n',
);

it.each([
  ['192.0.2.0', 'DE'],
  ['192.0.2.127', 'DE'],
  ['192.0.2.128', 'FR'],
  ['192.0.2.255', 'FR'],
  ['192.0.3.0', null],
  ['192.0.1.255', null],
  ['198.51.100.7', 'AT'],
  ['::ffff:198.51.100.7', 'AT'],
  ['2001:db8::1', 'JP'],
  ['2001:db8:1::', null],
  ['::1', null],
])('finds the country of %s: %s', (address, country) => {
  expect(countryOf(TABLE, parseIpAddress(address)!)).toBe(country);
});

it.each([
  ['192.0.2.0,192.0.2.255', 'line 1: "192.0.2.0,192.0.2.255" is not accepted'],
  ['192.0.2.0,192.0.2.255,Germany', 'is not accepted; write first address,last address,country'],
  ['192.0.2.0,2001:db8::,DE', 'is not accepted'],
  ['192.0.2.9,192.0.2.1,DE', 'line 1: "192.0.2.9,192.0.2.1,DE" ends before it begins'],
  ['192.0.2.9,192.0.2.255,DE\n192.0.2.0,192.0.3.0,FR', 'line 2: "192.0.2.0,192.0.3.0,FR" begins before'],
])('refuses %s', (text, message) => {
  expect(() => parseCountryTable(text)).toThrow(message);
});

it.each([
  ['2.58.196.0', 'DE'],
  ['2.58.197.14', 'DE'],
  ['2.58.197.15', 'BE'],
  ['2.58.197.16', 'DE'],
  ['2.58.197.255', 'DE'],
  ['2.58.198.0', 'FR'],
  ['2.58.198.9', 'NL'],
  ['2.58.199.0', 'NL'],
  ['2.58.199.2', 'IT'],
  ['2.58.199.3', 'NL'],
  ['2.58.199.9', null],
])('of ranges that overlap, the one that begins last counts: %s is in %s', (address, country) => {
  const table = parseCountryTable(
    `2.58.196.0,2.58.197.255,DE\n2.58.197.15,2.58.197.15,BE\n2.58.197.16,2.58.197.255,DE
2.58.198.0,2.58.198.15,FR\n2.58.198.9,2.58.199.3,NL\n2.58.199.2,2.58.199.2,IT\n`,
  );
  expect(countryOf(table, parseIpAddress(address)!)).toBe(country);
});

it('finds the same country as a look at every range', () => {
  const numbers = fc.integer({ min: 0, max: 60 });
  const ranges = fc.array(fc.tuple(numbers, numbers, fc.constantFrom('DE', 'FR', 'AT')), { maxLength: 20 });
  fc.assert(
    fc.property(ranges, numbers, (input, host) => {
      const sorted = input
        .map(([a, b, country]) => ({ first: Math.min(a, b), last: Math.max(a, b), country }))
        .toSorted((a, b) => a.first - b.first);
      const table = parseCountryTable(
        sorted.map(({ first, last, country }) => `192.0.2.${first},192.0.2.${last},${country}`).join('\n'),
      );
      const expected = sorted.findLast(({ first, last }) => first <= host && host <= last)?.country ?? null;
      expect(countryOf(table, parseIpAddress(`192.0.2.${host}`)!)).toBe(expected);
    }),
  );
});
