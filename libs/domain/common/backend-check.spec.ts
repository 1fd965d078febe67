import {
  DENIED,
  evaluateClock,
  evaluateDurability,
  evaluateRedis,
  evaluateReplica,
  evaluateReport,
  type FollowedCell,
  type ReportState,
} from './backend-check';

describe('judgeRedis', () => {
  it.each([
    ['7.0.15', 'noeviction', 'ok'],
    ['6.2.0', 'noeviction', 'ok'],
    ['10.0.0', 'noeviction', 'ok'],
    ['6.0.16', 'noeviction', 'failed'],
    ['5.0.7', 'noeviction', 'failed'],
    ['8.2.1', 'allkeys-lru', 'warning'],
    ['8.2.1', null, 'warning'],
    ['8.2.1', DENIED, 'warning'],
    ['unknown', 'noeviction', 'ok'],
  ])('%s with %s is %s', (version, policy, status) =>
    expect(evaluateRedis(version, policy).status).toBe(status),
  );
});

describe('judgeClock', () => {
  it.each([
    [0, 'ok'],
    [1.9, 'ok'],
    [2, 'warning'],
    [59, 'warning'],
    [3_600, 'failed'],
  ])('a difference of %s s is %s', (secs, status) =>
    expect(evaluateClock('the database', secs).status).toBe(status),
  );
});

it.each([
  [{}, 'ok', 'What the database has confirmed survives a crash.'],
  [{ synchronous_commit: 'remote_apply' }, 'ok', 'What the database has confirmed survives a crash.'],
  [
    { synchronous_commit: 'off' },
    'warning',
    expect.stringMatching(/^synchronous_commit is off: .+ Set synchronous_commit = on\.$/),
  ],
  [
    { fsync: 'off', synchronous_commit: 'off' },
    'failed',
    expect.stringMatching(/^fsync and synchronous_commit are off/),
  ],
])('with %j, what was confirmed is %s', (changed, status, detail) =>
  expect(
    evaluateDurability({ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', ...changed }),
  ).toEqual({ status, detail }),
);

describe('judgeReplica', () => {
  it.each([
    [true, true, 3_600, 'ok'],
    [true, false, 59, 'ok'],
    [true, false, 60, 'warning'],
    [false, false, 0, 'failed'],
  ])('follows %s, caught up %s, %s s behind: %s', (follows, isCaughtUp, behindSecs, status) =>
    expect(evaluateReplica({ follows, isCaughtUp, behindSecs }).status).toBe(status),
  );
});

describe('evaluateReport', () => {
  const followed = (change: Partial<FollowedCell> = {}): FollowedCell => ({
    cell: '01',
    isEnabled: true,
    isRunning: true,
    copying: 0,
    silentSecs: 2,
    errors: 0,
    ...change,
  });
  const state = (change: Partial<ReportState> = {}): ReportState => ({
    own: '00',
    cells: [followed({ cell: '00' }), followed()],
    behindSecs: 0.4,
    bytesBehind: 0,
    lacking: [],
    migrations: { onlyCell: [], onlyReport: [] },
    ...change,
  });
  const withOther = (change: Partial<FollowedCell>) => ({
    cells: [followed({ cell: '00' }), followed(change)],
  });

  it.each<[Partial<ReportState>, string, RegExp]>([
    [{}, 'ok', /0\.4 s behind this cell, '00'; the last message of '01' is 2\.0 s old/],
    [{ behindSecs: null, bytesBehind: 800 }, 'warning', /has not confirmed 800 bytes/],
    [withOther({ copying: 3 }), 'warning', /'01' that are still being copied: 3/],
    [withOther({ silentSecs: 61 }), 'warning', /'01' has sent nothing for 61 s/],
    [withOther({ silentSecs: null }), 'warning', /'01' has sent nothing for some time/],
    [
      withOther({ isRunning: false, errors: 7 }),
      'failed',
      /Nothing comes from the cell '01' \(errors so far: 7\)/,
    ],
    [
      withOther({ isEnabled: false, isRunning: false }),
      'failed',
      /subscription to the cell '01' is disabled/,
    ],
    [{ cells: [followed()] }, 'failed', /does not follow this cell, '00'/],
    [{ bytesBehind: null, behindSecs: null }, 'failed', /does not follow this cell, '00'/],
    [{ lacking: ['public.voice'] }, 'failed', /does not publish public\.voice/],
    [{ migrations: { onlyCell: ['A'], onlyReport: [] } }, 'failed', /The reporting database lacks A\./],
    [{ migrations: { onlyCell: [], onlyReport: ['B'] } }, 'failed', /of a newer release \(B\)/],
  ])('%j is %s', (change, status, detail) => {
    expect(evaluateReport(state(change))).toMatchObject({
      status,
      detail: expect.stringMatching(detail),
    });
  });
});
