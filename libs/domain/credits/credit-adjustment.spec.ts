import { adjustmentBounds } from './credit-adjustment';

const MAX = Number.MAX_SAFE_INTEGER;

describe('adjustmentBounds', () => {
  it.each([
    ['a grant gives, beyond the limit', 'grant', { creditLimit: 100 }, 1, MAX - 100],
    ['and beyond grants before it', 'grant', { creditLimit: 100, granted: 50 }, 1, MAX - 150],
    ['without a limit too', 'grant', { creditLimit: null, used: 7 }, 1, MAX],
    ['an adjustment gives back what was used', 'adjustment', { creditLimit: 100, used: 30 }, -70, 30],
    ['but not what is held', 'adjustment', { creditLimit: 100, used: 30, held: 25 }, -70, 5],
    ['and takes what is left of grants', 'adjustment', { creditLimit: 100, granted: 10, used: 30 }, -80, 30],
    ['nothing when the limit was lowered below it', 'adjustment', { creditLimit: 10, used: 30 }, 0, 30],
    [
      'as much as can be counted without a limit',
      'adjustment',
      { creditLimit: null, used: 30 },
      30 - MAX,
      30,
    ],
  ] as const)('%s', (_, kind, credits, min, max) => {
    const bounds = adjustmentBounds(kind, { granted: 0, used: 0, held: 0, ...credits });
    expect([bounds.min + 0, bounds.max]).toEqual([min, max]);
  });
});
