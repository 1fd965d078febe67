import { HeldShares } from './held-shares';

it('an owner has as much as its bound, and again what it returns', () => {
  const shares = new HeldShares({ perOwner: 10, inAll: 100 });
  expect([shares.take('a', 6), shares.take('a', 5), shares.take('a', 4)]).toEqual([null, 'owner', null]);
  expect(shares.take('b', 10)).toBeNull();
  shares.release('a', 6);
  expect([shares.take('a', 5), shares.heldBy('a')]).toEqual([null, 9]);
});

it('all together have as much as theirs', () => {
  const shares = new HeldShares({ perOwner: 10, inAll: 15 });
  expect([shares.take('a', 10), shares.take('b', 6), shares.take('b', 5)]).toEqual([null, 'all', null]);
  shares.release('a', 10);
  expect(shares.take('c', 10)).toBeNull();
});

it('one that is alone has what it needs, at once or little by little', () => {
  const shares = new HeldShares({ perOwner: 10, inAll: 15 });
  expect(shares.take('a', 20)).toBeNull();
  shares.release('a', 20);
  expect([shares.take('a', 10), shares.take('a', 10, 10), shares.take('a', 1)]).toEqual([
    null,
    null,
    'owner',
  ]);
  expect(shares.take('b', 1)).toBe('all');
});
