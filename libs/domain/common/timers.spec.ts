import { doneText, evaluateTimer, TIMER_NAMES, timerRow, type ObservedTimer } from './timers';

const timer = (more: Partial<ObservedTimer>): ObservedTimer => ({
  everySecs: 600,
  isPaused: false,
  isFailing: false,
  beganSecsAgo: 10,
  allowedForSecs: null,
  workerForSecs: 100_000,
  ...more,
});

describe('judgeTimer', () => {
  it.each<[string, Partial<ObservedTimer>, string]>([
    ['one that has just run', {}, 'on_time'],
    ['one within three of its periods', { beganSecsAgo: 1_815 }, 'on_time'],
    ['one beyond them', { beganSecsAgo: 1_816 }, 'late'],
    ['a fast one whose worker reports every few seconds', { everySecs: 0.25, beganSecsAgo: 15 }, 'on_time'],
    ['a fast one that is silent', { everySecs: 0.25, beganSecsAgo: 16 }, 'late'],
    ['one that has never run, with a new worker', { beganSecsAgo: null, workerForSecs: 5 }, 'waiting'],
    ['one that has never run, with an old worker', { beganSecsAgo: null }, 'late'],
    ['one that has never run, without a worker', { beganSecsAgo: null, workerForSecs: null }, 'late'],
    ['one whose pause has just ended', { beganSecsAgo: 50_000, allowedForSecs: 5 }, 'on_time'],
    ['one that is paused', { beganSecsAgo: 50_000, isPaused: true, isFailing: true }, 'paused'],
    ['one that fails, however often', { isFailing: true }, 'failing'],
  ])('%s', (_case, more, expected) => expect(evaluateTimer(timer(more))).toBe(expected));
});

describe('doneText', () => {
  it('counts what was done and leaves the rest out', () => {
    expect(doneText('expired', { preview: 14, response: 1, recording: 0 })).toBe(
      'expired 14 previews, 1 response',
    );
    expect(doneText('expired', { preview: 0 })).toBeNull();
  });
});

it('says of every timer what it is for, and why it runs always when it does', () => {
  const always = TIMER_NAMES.filter((name) => timerRow(name).alwaysRuns !== undefined);
  expect(always).toEqual(['outbox-relay', 'worker-orders', 'due-undo', 'worker-heartbeat', 'queue-watch']);
  for (const name of TIMER_NAMES) expect(timerRow(name).purpose).toMatch(/^[A-Z].*\.$/);
});
