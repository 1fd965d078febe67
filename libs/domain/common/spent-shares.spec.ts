import { SpentShares } from './spent-shares';

it('an owner spends as much as its bound in each window, whatever the others spend', () => {
  const shares = new SpentShares({ perOwner: 10, windowMs: 1_000 });
  expect([shares.spend('a', 10, 5_000), shares.spend('a', 1, 5_999), shares.spend('b', 10, 5_999)]).toEqual([
    true,
    false,
    true,
  ]);
  expect([shares.spend('a', 10, 6_000), shares.spend('a', 1, 6_000)]).toEqual([true, false]);
});
