import { healthOf } from './worker-health';

const at = (secs: number) => new Date(secs * 1_000);
const alive = (id: string, startedAt: number, isStuck = false) => ({
  id,
  startedAt: at(startedAt),
  seenAt: at(1_000),
  silentSecs: 1,
  isStuck,
});
const dead = (id: string, seenAt: number, startedAt = 0) => ({
  id,
  startedAt: at(startedAt),
  seenAt: at(seenAt),
  silentSecs: 1_000 - seenAt,
  isStuck: true,
});

describe('the health of workers', () => {
  it.each([
    ['one that responds', [alive('a', 0)], { a: 'healthy' }],
    ['one that takes no jobs', [alive('a', 0, true)], { a: 'stuck' }],
    ['one without a heartbeat', [dead('a', 900)], { a: 'silent' }],
    ['one that another has replaced', [dead('a', 900), alive('b', 905)], { a: 'replaced', b: 'healthy' }],
    ['one beside another that ran before', [alive('a', 0), dead('b', 900)], { a: 'healthy', b: 'silent' }],
    [
      'two, of which one was replaced',
      [dead('a', 800), dead('b', 900), alive('c', 950)],
      { a: 'silent', b: 'replaced', c: 'healthy' },
    ],
    [
      'one that was killed and started again five times',
      [
        ...[1, 2, 3, 4, 5].map((kill) => dead(`killed ${kill}`, 100 * kill, 100 * kill - 95)),
        alive('a', 505),
      ],
      {
        'killed 1': 'replaced',
        'killed 2': 'replaced',
        'killed 3': 'replaced',
        'killed 4': 'replaced',
        'killed 5': 'replaced',
        a: 'healthy',
      },
    ],
    [
      'one that replaced another and is gone',
      [dead('a', 100), dead('b', 200, 105)],
      { a: 'replaced', b: 'silent' },
    ],
  ])('%s', (_case, workers, expected) => {
    expect(Object.fromEntries(healthOf(workers))).toEqual(expected);
  });
});
