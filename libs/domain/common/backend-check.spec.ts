import { DENIED, evaluateClock, evaluateRedis, evaluateReplica } from './backend-check';

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
