import * as fc from 'fast-check';
import { dryRunCreditLimit, dryRunRequests, type HourUse } from './limit-dry-run';

const OCTOBER = new Date('2026-10-15T00:00:00Z');
const NOVEMBER = new Date('2026-11-15T00:00:00Z');
const spent = (day: string, credits: number, periodStart = OCTOBER) => ({ day, credits, periodStart });

describe('a limit of credits', () => {
  const SPENDING = [
    spent('2026-11-14', 30),
    spent('2026-10-20', 60),
    spent('2026-11-02', 50),
    spent('2026-11-15', 20, NOVEMBER),
    spent('2026-11-15', 10),
  ];

  it('would have stopped the days after it was used up, each period by itself', () => {
    expect(dryRunCreditLimit(SPENDING, 100, '2026-11-01')).toEqual({
      daysSpent: 3,
      stoppedDays: ['2026-11-02', '2026-11-14', '2026-11-15'],
      beyond: 10 + 30 + 10,
    });
  });

  it('would have stopped nothing that it covers, and no limit nothing at all', () => {
    expect(dryRunCreditLimit(SPENDING, 150, '2026-11-01')).toMatchObject({ stoppedDays: [], beyond: 0 });
    expect(dryRunCreditLimit(SPENDING, null, '2026-11-01')).toMatchObject({ daysSpent: 3, stoppedDays: [] });
  });

  it('does not count a day on which more was given back than spent', () => {
    const spending = [spent('2026-11-02', 200), spent('2026-11-03', -20)];
    expect(dryRunCreditLimit(spending, 100, '2026-11-01').stoppedDays).toEqual(['2026-11-02']);
  });
});

describe('requests in a window', () => {
  const HOUR_MS = 3_600_000;
  const hour = (requests: number, minutes: number, number = 0): HourUse => {
    const from = Date.UTC(2026, 10, 3) + number * HOUR_MS;
    return {
      hour: new Date(from),
      requests,
      firstAt: new Date(from),
      lastAt: new Date(from + minutes * 60_000),
    };
  };

  it('are refused for sure, allowed for sure, or not known', () => {
    const run = dryRunRequests('minute', 10, [hour(10, 59), hour(40, 1, 1), hour(300, 59, 2)]);
    expect(run).toMatchObject({ requests: 350, refused: 40, undecided: 300, refusedAtLeast: 10 });
  });

  it('are never said to be refused where a limiter could have let all pass, nor allowed where it could not', () => {
    const times = fc.array(fc.integer({ min: 0, max: HOUR_MS - 1 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 40 }), (input, limit) => {
        const at = input.toSorted((a, b) => a - b);
        const use = { ...hour(at.length, 0), firstAt: new Date(at[0]!), lastAt: new Date(at.at(-1)!) };
        const { refused, undecided, refusedAtLeast } = dryRunRequests('minute', limit, [use]);
        const really = refusedOf(at, limit);
        expect(refusedAtLeast).toBeLessThanOrEqual(really);
        expect(refused > 0 && really === 0).toBe(false);
        expect(refused === 0 && undecided === 0 && really > 0).toBe(false);
      }),
    );
  });

  it('are counted by seconds of an hour, and by days with the day before', () => {
    expect(dryRunRequests('second', 2, [hour(7_300, 60), hour(2, 59, 1), hour(500, 59, 2)])).toMatchObject({
      requests: 7_802,
      refused: 7_300,
      undecided: 500,
      refusedAtLeast: 7_300 - 2 * 3_602,
    });
    const days = [hour(40, 9), hour(50, 9, 20), hour(60, 9, 24), hour(90, 9, 70), hour(120, 9, 71)];
    const run = dryRunRequests('day', 100, days);
    expect(run).toMatchObject({ requests: 360, refused: 210, undecided: 60, refusedAtLeast: 10 });
    expect(run.refusedUses.map((use) => use.hour)).toEqual([hour(0, 0, 48).hour]);
  });

  it('a day are never said to be refused where a limiter could have let all pass, nor allowed where it could not', () => {
    const times = fc.array(fc.integer({ min: 0, max: 96 * HOUR_MS - 1 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 20 }), (input, limit) => {
        const at = input.toSorted((a, b) => a - b);
        const numbers = [...new Set(at.map((time) => Math.floor(time / HOUR_MS)))];
        const uses = numbers.map((number) => {
          const of = at.filter((time) => Math.floor(time / HOUR_MS) === number);
          const [firstAt, lastAt] = [of[0]!, of.at(-1)!].map(
            (time) => new Date(hour(0, 0).hour.getTime() + time),
          );
          return { ...hour(of.length, 0, number), firstAt: firstAt!, lastAt: lastAt! };
        });
        const { refused, undecided, refusedAtLeast } = dryRunRequests('day', limit, uses);
        const really = refusedOf(at, limit, 24 * HOUR_MS);
        expect(refusedAtLeast).toBeLessThanOrEqual(really);
        expect(refused > 0 && really === 0).toBe(false);
        expect(refused === 0 && undecided === 0 && really > 0).toBe(false);
      }),
    );
  });

  /** What a limiter refuses whose window begins with the first request after the one before. */
  function refusedOf(times: number[], limit: number, windowMs = 60_000): number {
    let [endsAt, used, refused] = [-1, 0, 0];
    for (const time of times) {
      if (time >= endsAt) [endsAt, used] = [time + windowMs, 0];
      if (used < limit) used += 1;
      else refused += 1;
    }
    return refused;
  }
});
