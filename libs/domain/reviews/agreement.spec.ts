import * as fc from 'fast-check';
import { agreementOf, weightedKappa, type GradePair } from './agreement';
import { RECORDING_GRADES } from './review-state';

const times = (count: number, ...pair: GradePair): GradePair[] => Array.from({ length: count }, () => pair);

/** To nine decimals; a zero without a sign. */
const rounded = (kappa: number | null) => (kappa === null ? null : Math.round(kappa * 1e9) / 1e9 + 0);

/**
 * Ten recordings with known disagreements. With studio = 0, good = 1, ok = 2, poor = 3, bad = 4:
 *
 *   3 × (good, good), 2 × (ok, ok), 1 × (bad, bad): distance 0
 *   2 × (good, ok), 1 × (ok, poor): squared distance 1 each, 3 in all
 *   1 × (studio, ok): squared distance 4
 *
 * Observed: 3 + 4 = 7, times n = 10 is 70.
 * The first gives studio 1, good 5, ok 3, bad 1; the second good 3, ok 5, poor 1, bad 1. By chance, Σ first × second × d²:
 *   studio (1): 3·1 + 5·4 + 1·9 + 1·16            = 48
 *   good (5):   5 × (3·0 + 5·1 + 1·4 + 1·9)       = 90
 *   ok (3):     3 × (3·1 + 5·0 + 1·1 + 1·4)       = 24
 *   bad (1):    3·9 + 5·4 + 1·1 + 1·0             = 48
 * 48 + 90 + 24 + 48 = 210, so kappa = 1 - 70 / 210 = 2 / 3.
 */
const SEEDED: GradePair[] = [
  ...times(3, 'good', 'good'),
  ...times(2, 'ok', 'ok'),
  ...times(1, 'bad', 'bad'),
  ...times(2, 'good', 'ok'),
  ...times(1, 'ok', 'poor'),
  ...times(1, 'studio', 'ok'),
];

describe('weighted kappa', () => {
  it('of a seeded set is what it is by hand', () => {
    expect(weightedKappa(SEEDED)).toBeCloseTo(2 / 3, 12);
    expect(agreementOf(SEEDED)).toMatchObject({ pairs: 10, same: 6, withinOne: 9 });
  });

  it.each<[string, GradePair[], number | null]>([
    ['full agreement', [...times(2, 'good', 'good'), ...times(1, 'bad', 'bad')], 1],
    // Observed 2 × 16 × 2 = 64; by chance 1·1·16 + 1·1·16 = 32.
    ['the opposite', [...times(1, 'studio', 'bad'), ...times(1, 'bad', 'studio')], -1],
    // Observed 4 × (1 + 1) = 8; by chance 2·2·1 + 2·2·1 = 8.
    [
      'chance',
      [
        ['good', 'good'],
        ['good', 'ok'],
        ['ok', 'good'],
        ['ok', 'ok'],
      ],
      0,
    ],
    ['one grade only', times(5, 'ok', 'ok'), null],
    ['nothing', [], null],
  ])('of %s', (_, pairs, expected) => {
    expect(rounded(weightedKappa(pairs))).toBe(rounded(expected));
  });

  it('is the same whoever comes first, and at most 1', () => {
    const grade = fc.constantFrom(...RECORDING_GRADES);
    fc.assert(
      fc.property(fc.array(fc.tuple(grade, grade)), (pairs) => {
        const kappa = weightedKappa(pairs);
        const swapped = weightedKappa(pairs.map(([a, b]) => [b, a] as const));
        expect(rounded(swapped)).toBe(rounded(kappa));
        expect(kappa ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});
