import { boundedStretches, MOST_PLACES } from './recording-places';

const at = (fromSecs: number, toSecs: number) => ({ fromSecs, toSecs });

describe('boundedStretches', () => {
  it('joins stretches that nearly touch, whatever their order, and rounds to milliseconds', () => {
    expect(boundedStretches([at(2, 2.2), at(1, 1.00049), at(1.04, 1.1)], 0.05)).toEqual([
      at(1, 1.1),
      at(2, 2.2),
    ]);
  });

  it('keeps the longest of too many, in their order', () => {
    const many = Array.from({ length: 200 }, (_, n) => at(n, n + (n % 2 === 0 ? 0.5 : 0.1)));
    const stored = boundedStretches(many, 0);
    expect(stored).toHaveLength(MOST_PLACES);
    expect(stored[0]).toEqual(at(0, 0.5));
    expect(stored.every(({ fromSecs, toSecs }) => toSecs - fromSecs === 0.5)).toBe(true);
  });
});
