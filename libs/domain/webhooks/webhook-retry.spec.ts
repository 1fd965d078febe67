import fc from 'fast-check';
import { retryAfterSecs, webhookRetryDelaySecs } from './webhook-retry';

describe('webhookRetryDelaySecs', () => {
  it('grows from seconds to hours', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((attempts) => webhookRetryDelaySecs(attempts, 0, 0));
    expect(delays).toEqual([5, 15, 45, 135, 405, 1_215, 3_645, 7_200, 7_200]);
  });

  it('tries seven times, however old the delivery: no worker may have run for days', () => {
    const ends = [1, 2, 6, 7].map((attempts) => webhookRetryDelaySecs(attempts, 200_000, 0));
    expect(ends).toEqual([5, 15, 1_215, null]);
  });

  it('takes up to a half off', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempts, random) => {
          const [longest, delay] = [0, random].map((value) => webhookRetryDelaySecs(attempts, 0, value)!);
          expect(delay).toBeGreaterThanOrEqual(longest! / 2);
          expect(delay).toBeLessThanOrEqual(longest!);
        },
      ),
    );
  });

  it('tries for a day: 18 to 30 times, then stops', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (randoms) => {
        let [ageSecs, attempts] = [0, 1];
        for (const random of randoms) {
          const delay = webhookRetryDelaySecs(attempts, ageSecs, random);
          if (delay === null) break;
          ageSecs += delay;
          attempts += 1;
        }
        expect(ageSecs).toBeGreaterThan(86_400 - 7_200);
        expect(ageSecs).toBeLessThanOrEqual(86_400);
        expect(attempts).toBeGreaterThanOrEqual(18);
        expect(attempts).toBeLessThanOrEqual(31);
      }),
    );
  });
});

describe('retryAfterSecs', () => {
  const now = new Date('2026-11-01T12:00:00Z');
  it.each<[number | null, string | null, number]>([
    [429, '120', 120],
    [503, 'Sun, 01 Nov 2026 12:10:00 GMT', 600],
    [503, 'Sun, 01 Nov 2026 11:00:00 GMT', 0],
    [503, '9999999', 7_200],
    [503, '-5', 0],
    [503, 'soon', 0],
    [500, '120', 0],
    [429, null, 0],
    [null, null, 0],
  ])('%s with %s is %d s', (status, retryAfter, secs) => {
    expect(retryAfterSecs({ status, retryAfter }, now)).toBe(secs);
  });

  it('puts the next attempt off, and does not bring it forward', () => {
    expect(webhookRetryDelaySecs(1, 0, 0, 600)).toBe(600);
    expect(webhookRetryDelaySecs(3, 0, 0, 10)).toBe(45);
  });
});
