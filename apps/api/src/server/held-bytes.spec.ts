import { HeldBytes } from './held-bytes';

const PER_NETWORK = 64;
const IN_ALL = 192;
const HALF = PER_NETWORK / 2;
const start = () => new HeldBytes({ perNetwork: PER_NETWORK, inAll: IN_ALL });

it('accepts what a network has room for, and again when some was released', () => {
  const held = start();
  const added = [held.add('one', HALF), held.add('one', HALF)];
  expect([...added, held.add('one', 1), held.add('another', HALF)]).toEqual([null, null, PER_NETWORK, null]);
  held.remove('one', HALF);
  expect(held.add('one', HALF)).toBeNull();
});

it('has a bound for all networks together', () => {
  const held = start();
  for (let i = 0; i < IN_ALL / HALF; i += 1) held.add(`network ${i}`, HALF);
  expect(() => held.add('one more', 1)).toThrow(expect.objectContaining({ code: 'system_busy' }));
  held.remove('network 0', HALF);
  expect(held.add('one more', 1)).toBeNull();
});

it('accepts the first of a network whatever its size', () => {
  const held = start();
  expect(held.add('one', 2 * IN_ALL)).toBeNull();
  held.remove('one', 2 * IN_ALL);
  expect(held.add('one', HALF)).toBeNull();
});
