import { noise } from '../../../test/support/audio/signals';
import { select } from './statistics';

it('select finds the value of every rank, and leaves the smaller ones before it', () => {
  // Rounded, so that many are equal.
  const values = Float64Array.from(noise(1, 101, 5), (sample) => Math.round(Math.abs(sample)));
  const sorted = values.slice().sort();
  values.forEach((_, rank) => {
    const changed = values.slice();
    expect(select(changed, rank)).toBe(sorted[rank]);
    const half = rank >> 1;
    expect(select(changed, half, rank + 1)).toBe(sorted[half]);
    expect(changed.slice().sort()).toEqual(sorted);
  });
});
