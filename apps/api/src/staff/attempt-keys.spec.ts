import { networkOf } from './attempt-keys';

it.each([
  ['2001:db8:7:1::1', '2001:db8:7::/48'],
  ['2001:db8:7:ffff:1:2:3:4', '2001:db8:7::/48'],
  ['2001:db8:8::1', '2001:db8:8::/48'],
  ['::1', '0:0:0::/48'],
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.2', '192.0.2.2'],
  ['::ffff:192.0.2.2', '::ffff:192.0.2.2'],
  [null, 'null'],
])('attempts from %s are counted for %s', (address, expected) => {
  expect(networkOf(address)).toBe(expected);
});
