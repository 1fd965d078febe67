import { isInside, mapAddresses } from './address-map';

const use = (address: string, requests: number, refused = false) => ({ address, requests, refused });

it('says which addresses of a network are on the list, and where its requests came from', () => {
  const [office] = mapAddresses(
    ['203.0.113.0/28', '203.0.113.64'],
    [use('203.0.113.10', 7), use('203.0.113.64', 2)],
  );
  expect(office).toMatchObject({ network: '203.0.113.0/24', requests: 9, refused: 0 });
  expect(office!.uses.map(({ place }) => place)).toEqual([10, 64]);
  expect(office!.listed.flatMap((isListed, place) => (isListed ? [place] : []))).toEqual([
    ...Array.from({ length: 16 }, (_, place) => place),
    64,
  ]);
});

it('has what would be refused first, then the busiest, then what is only listed, and no more than three', () => {
  const uses = [use('192.0.2.1', 90), use('198.51.100.7', 3, true), use('203.0.113.1', 5)];
  const maps = mapAddresses(['10.0.0.0/8', '192.0.2.0/24'], uses);
  expect(maps.map(({ network, refused }) => [network, refused])).toEqual([
    ['198.51.100.0/24', 3],
    ['192.0.2.0/24', 0],
    ['203.0.113.0/24', 0],
  ]);
  expect(maps[1]!.listed.every(Boolean)).toBe(true);
});

it('leaves out IPv6, and what is no address', () => {
  expect(mapAddresses(['2001:db8::/32', 'other'], [use('2001:db8::1', 5), use('other', 2)])).toEqual([]);
});

it.each([
  ['203.0.113.10', true],
  ['203.0.113.16', false],
  ['2001:db8::1', true],
  ['other', false],
])('%s is inside the blocks: %s', (address, inside) => {
  expect(isInside(address, ['203.0.113.0/28', '2001:db8::/48'])).toBe(inside);
});
