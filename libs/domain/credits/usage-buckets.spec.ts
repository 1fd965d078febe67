import * as fc from 'fast-check';
import { bucketStarts, MAX_BUCKETS, spansOf, USAGE_INTERVALS } from './usage-buckets';

const at = (text: string) => Date.parse(text);
const texts = (starts: number[] | null) => starts?.map((ms) => new Date(ms).toISOString().slice(0, 16));

it.each([
  ['hour', '2026-11-21T10:30Z', '2026-11-21T12:00Z', ['2026-11-21T10:00', '2026-11-21T11:00']],
  ['day', '2026-02-28T10:30Z', '2026-03-01T00:01Z', ['2026-02-28T00:00', '2026-03-01T00:00']],
  ['week', '2026-11-21T10:30Z', '2026-11-23T00:01Z', ['2026-11-16T00:00', '2026-11-23T00:00']],
  ['month', '2026-12-31T10:30Z', '2027-01-01T00:01Z', ['2026-12-01T00:00', '2027-01-01T00:00']],
  ['cumulative', '2026-01-31T10:30Z', '2026-11-21T00:00Z', ['2026-01-31T10:30']],
  [900, '2026-11-21T10:40Z', '2026-11-21T11:00Z', ['2026-11-21T10:30', '2026-11-21T10:45']],
] as const)('spans of %s', (interval, from, to, expected) => {
  expect(texts(bucketStarts(at(from), at(to), interval))).toEqual(expected);
});

it('an empty range has no spans, and a range that has too many is refused', () => {
  for (const interval of USAGE_INTERVALS) expect(bucketStarts(7_200_000, 7_200_000, interval)).toEqual([]);
  expect(bucketStarts(0, MAX_BUCKETS * 1_000, 1)).toHaveLength(MAX_BUCKETS);
  expect(bucketStarts(0, MAX_BUCKETS * 1_000 + 1, 1)).toBeNull();
  expect(bucketStarts(0, 253_402_300_799_999, 'hour')).toBeNull();
});

it('a range with too many spans begins with the first day of the account', () => {
  const end = at('2026-11-21T10:00Z');
  expect(spansOf(end - 7_200_000, end, 'hour', 0)?.fromMs).toBe(end - 7_200_000);
  expect(spansOf(0, end, 'hour', at('2026-11-20T15:00Z'))).toEqual({
    fromMs: at('2026-11-20T00:00Z'),
    starts: bucketStarts(at('2026-11-20T00:00Z'), end, 'hour'),
  });
  expect(spansOf(0, end, 1, at('2026-11-20T15:00Z'))).toBeNull();
});

it('spans follow each other, begin at or before the range and end after it', () => {
  const instant = fc.integer({ min: 0, max: 253_402_300_799_999 });
  const span = fc.oneof(
    fc.constantFrom('day' as const, 'week' as const, 'month' as const),
    fc.integer({ min: 60, max: 1e6 }),
  );
  fc.assert(
    fc.property(instant, fc.integer({ min: 1, max: 1e10 }), span, (start, length, interval) => {
      const starts = bucketStarts(start, start + length, interval);
      if (starts === null) return;
      expect(starts[0]).toBeLessThanOrEqual(start);
      expect(starts[1] ?? Infinity).toBeGreaterThan(start);
      expect(starts.at(-1)).toBeLessThan(start + length);
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    }),
  );
});
