import fc from 'fast-check';
import { Distribution } from './distribution';

describe('Distribution', () => {
  it('counts a value at its bound and below every greater one', () => {
    const distribution = new Distribution([1, 2, 5]);
    for (const value of [0, 1, 1.5, 2, 5, 5.1, 100]) distribution.add(value);
    expect(distribution.cumulative()).toEqual([
      { bound: 1, count: 2 },
      { bound: 2, count: 4 },
      { bound: 5, count: 5 },
    ]);
    expect(distribution.count).toBe(7);
    expect(distribution.sum).toBeCloseTo(114.6);
  });

  it('agrees with counting one by one', () => {
    const bounds = [0.01, 0.1, 1, 10];
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 20, noNaN: true })), (values) => {
        const distribution = new Distribution(bounds);
        for (const value of values) distribution.add(value);
        expect(distribution.cumulative()).toEqual(
          bounds.map((bound) => ({ bound, count: values.filter((value) => value <= bound).length })),
        );
        expect(distribution.count).toBe(values.length);
      }),
    );
  });
});
