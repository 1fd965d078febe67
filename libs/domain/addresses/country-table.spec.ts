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
  ['192.0.2.9,192.0.2.1,DE', 'line 1'],
  ['192.0.2.0,192.0.2.255,DE\n192.0.2.255,192.0.3.0,FR', 'line 2: "192.0.2.255,192.0.3.0,FR" begins before'],
])('refuses %s', (text, message) => {
  expect(() => parseCountryTable(text)).toThrow(message);
});
