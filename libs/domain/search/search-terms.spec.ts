import { readSearchTerms } from './search-terms';

const found = (typed: string) => {
  const { uuid, id, lastFour, address } = readSearchTerms(typed);
  const kinds = Object.entries({ uuid, id, lastFour, address: address?.text ?? null });
  return Object.fromEntries(kinds.filter(([, value]) => value !== null));
};

it.each([
  ['Northwind Audio', {}],
  ['  Ab3d ', { lastFour: 'Ab3d' }],
  ['grk_…Ab3d', { lastFour: 'Ab3d' }],
  ['…Ab3d', { lastFour: 'Ab3d' }],
  ['...Ab3d', { lastFour: 'Ab3d' }],
  ['Ab3', {}],
  ['8C1F1B1E-0b7a-4a63-9d0e-3f5c6a7b8c9d', { uuid: '8c1f1b1e-0b7a-4a63-9d0e-3f5c6a7b8c9d' }],
  ['0123456789abcdef0123456789abcdef', { id: '0123456789abcdef0123456789abcdef' }],
  ['NFxx8zmHkJ4n0aVQpWbT', { id: 'NFxx8zmHkJ4n0aVQpWbT' }],
  ['203.0.113.7', { address: '203.0.113.7' }],
  ['2001:DB8:0::7', { address: '2001:db8::7' }],
  ['::ffff:203.0.113.7', { address: '203.0.113.7' }],
  ['10.0.0.256', { id: '10.0.0.256' }],
])('reads %j as %j', (typed, expected) => {
  expect(found(typed)).toEqual(expected);
});

it('knows every block that an address is in, the narrowest first', () => {
  const { blocks } = readSearchTerms('203.0.113.7').address!;
  expect(blocks).toHaveLength(33);
  expect([blocks[0], blocks[8], blocks[32]]).toEqual(['203.0.113.7/32', '203.0.113.0/24', '0.0.0.0/0']);
  expect(readSearchTerms('2001:db8::7').address!.blocks).toHaveLength(129);
});
