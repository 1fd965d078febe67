import {
  connectionNeeds,
  connectionShortage,
  daysUntilFull,
  evaluateCertificates,
  evaluateConnections,
  evaluatePauses,
  evaluateSpace,
  evaluateUpstream,
  evaluateWorkers,
} from './operation-check';

const GIB = 1024 ** 3;
const NOW = new Date('2026-11-20T12:00:00Z');
const daysFrom = (days: number) => new Date(NOW.getTime() + days * 24 * 3_600_000);

it.each([
  [{ used: 89, limit: 100 }, 'ok', '11 of 100 credits left'],
  [{ used: 90, limit: 100 }, 'warning', 'runs out soon'],
  [{ used: 101, limit: 100 }, 'failed', '0 of 100 credits left'],
  [{ status: 401, reason: 'no' }, 'failed', 'does not accept VOICE_ENGINE_API_KEY (401): no.'],
  [{ status: 402, reason: 'no' }, 'failed', 'wants to be paid (402)'],
  [{ status: 429, reason: 'no' }, 'warning', 'refuses more requests (429)'],
  [{ status: null, reason: 'gone' }, 'failed', 'does not serve: gone.'],
])('an upstream with %j is %s', (state, status, detail) =>
  expect(evaluateUpstream(state)).toMatchObject({ status, detail: expect.stringContaining(detail) }),
);

describe('connections', () => {
  const needs = connectionNeeds(false);

  it.each([
    [79, 1, 1, 'ok'],
    [80, 1, 1, 'warning'],
    [10, 2, 2, 'warning'],
  ])('%s of 100 in use by %s apis and %s workers are %s', (used, apis, workers, status) =>
    expect(evaluateConnections({ used, allowed: 100, apis, workers }, needs).status).toBe(status),
  );

  it('names a max_connections that is enough', () =>
    expect(evaluateConnections({ used: 10, allowed: 97, apis: 3, workers: 2 }, needs).detail).toContain(
      '3 apis and 2 workers open up to 156. Under load some would be refused: set max_connections to 180 or more',
    ));

  it('a process that starts says when it is one too many', () => {
    const state = { used: 20, allowed: 97, apis: 1, workers: 1 };
    expect(connectionShortage('api', state, needs)).toBeNull();
    expect(connectionShortage('worker', state, needs)).toBe(
      'This worker opens up to 39 connections to the database, with 1 other api and 1 other worker 104 in all, and the server allows 97: set max_connections to 120 or more, or run fewer.',
    );
  });
});

describe('free space', () => {
  it.each([
    [[2 * GIB, 20 * GIB], 'ok', 'a has 2048 MiB of 20480 free; b has 1024 MiB of 1024 free.'],
    [[1.9 * GIB, 20 * GIB], 'warning', expect.stringMatching(/^a has 1945 MiB of 20480 free\. Free some/)],
    [[0, GIB], 'failed', expect.stringMatching(/^a has 0 MiB of 1024 free\./)],
  ])('of %j is %s', ([freeBytes, totalBytes], status, detail) =>
    expect(
      evaluateSpace([
        { folder: 'a', freeBytes: freeBytes!, totalBytes: totalBytes!, fullInDays: null },
        { folder: 'b', freeBytes: GIB, totalBytes: GIB, fullInDays: null },
      ]),
    ).toEqual({ status, detail }),
  );

  it('that lasts for two weeks at its pace is a warning before it is short', () => {
    const space = { folder: 'a', freeBytes: 10 * GIB, totalBytes: 20 * GIB };
    expect(evaluateSpace([{ ...space, fullInDays: 14.5 }]).status).toBe('ok');
    expect(evaluateSpace([{ ...space, fullInDays: 5.9 }])).toEqual({
      status: 'warning',
      detail: expect.stringContaining('10240 MiB of 20480 free, full in 5 days at this pace'),
    });
    expect(evaluateSpace([{ ...space, fullInDays: 0.9 }]).detail).toContain('full within a day at this pace');
  });

  it.each<[string, number[], number | null]>([
    ['falls by a GiB a day', [10, 9, 8, 7], 7],
    ['falls by half a GiB a day', [4, 3.5, 3], 6],
    ['rises', [7, 8, 9], null],
    ['stays', [7, 7, 7], null],
    ['was measured once', [7], null],
  ])('that %s is full in the days of its line', (_, gibs, days) => {
    const samples = gibs.map((gib, day) => ({ at: daysFrom(day), freeBytes: gib * GIB }));
    const full = daysUntilFull(samples);
    expect(full === null ? null : Math.round(full * 1_000) / 1_000).toEqual(days);
  });

  it('has no pace within the first hour', () => {
    const at = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
    const samples = [
      { at: at(0), freeBytes: 10 * GIB },
      { at: at(59), freeBytes: GIB },
    ];
    expect(daysUntilFull(samples)).toBeNull();
  });
});

it.each([
  [{ apis: 0, workers: 0, quiet: 0, silentSecs: 900 }, 'ok', 'No api and no worker runs.'],
  [
    { apis: 1, workers: 0, quiet: 0, silentSecs: 900 },
    'failed',
    expect.stringMatching(/^No worker is heard; the last one was heard 15 min ago: .+ "greenroom worker"/),
  ],
  [
    { apis: 1, workers: 0, quiet: 0, silentSecs: null },
    'failed',
    expect.stringMatching(/^No worker is heard: /),
  ],
  [{ apis: 1, workers: 2, quiet: 1, silentSecs: 1 }, 'ok', 'Workers that are heard: 2, quiet: 1.'],
  [{ apis: 1, workers: 2, quiet: 2, silentSecs: 1 }, 'warning', expect.stringContaining('workers resume')],
])('processes %j are %s', (heard, status, detail) =>
  expect(evaluateWorkers(heard)).toEqual({ status, detail }),
);

it('a paused queue is named with who has paused it, when and why', () => {
  expect(evaluatePauses([]).status).toBe('ok');
  expect(evaluatePauses([{ queue: 'voice-review', since: NOW, by: 'Ann', reason: 'upgrade' }])).toEqual({
    status: 'warning',
    detail:
      'voice-review is paused since 2026-11-20 12:00 UTC by Ann (upgrade). Resume it under Queues in the console.',
  });
});

it.each([
  [40, 'ok', 'Certificates: 2; first that of Redis ends on 2026-12-30.'],
  [20, 'warning', expect.stringContaining('that of Redis ends on 2026-12-10')],
  [-1, 'failed', expect.stringContaining('that of Redis ended on 2026-11-19')],
])('a certificate that ends in %s days is %s', (days, status, detail) =>
  expect(
    evaluateCertificates(
      [
        { of: 'PUBLIC_URL', endsAt: daysFrom(90) },
        { of: 'Redis', endsAt: daysFrom(days) },
      ],
      NOW,
    ),
  ).toEqual({ status, detail }),
);
