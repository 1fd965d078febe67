import { DAY_MS } from '../common/utc-days';
import {
  disablesMore,
  firstExpiry,
  isBeyond,
  latestExpiry,
  NO_RULES,
  permissionsBeyond,
  policyProblems,
  toRules,
  toWireRules,
} from './key-policy';

const CREATED = new Date('2026-01-01T00:00:00Z');

describe('the latest expiry of a key', () => {
  it('counts from its newest secret', () => {
    expect(latestExpiry({ ...NO_RULES, maxLifetimeDays: 90 }, CREATED)).toEqual(
      new Date('2026-04-01T00:00:00Z'),
    );
  });

  it('is not there without a policy, or without a lifetime in it', () => {
    for (const rules of [null, NO_RULES]) expect(latestExpiry(rules, CREATED)).toBeNull();
  });

  it('is exceeded by a later time and by none, and not by itself', () => {
    const latest = latestExpiry({ ...NO_RULES, maxLifetimeDays: 90 }, CREATED);
    expect(
      [null, new Date('2026-04-01T00:00:00.001Z'), latest].map((each) => isBeyond(each, latest)),
    ).toEqual([true, true, false]);
    expect(isBeyond(null, null)).toBe(false);
  });
});

it('a policy that disables idle keys warns before', () => {
  expect(policyProblems({ ...NO_RULES, idleDisableDays: 7 }).map(({ field }) => field)).toEqual([
    'idle_disable_days',
  ]);
  expect(policyProblems({ ...NO_RULES, idleWarnDays: 90, idleDisableDays: 7 })).toEqual([]);
});

it.each<[number | null, number | null, number | null, number | null, boolean]>([
  [90, 14, null, null, true],
  [90, 14, 90, null, true],
  [90, 14, 90, 14, false],
  [89, 14, 90, 14, true],
  [90, 13, 90, 14, true],
  [120, 30, 90, 14, false],
  [30, null, 90, 14, false],
  [null, null, 90, 14, false],
])(
  'warned after %s days and disabled %s later, in place of %s and %s, disables more: %s',
  (warn, disable, formerWarn, formerDisable, expected) => {
    const rules = (idleWarnDays: number | null, idleDisableDays: number | null) => ({
      ...NO_RULES,
      idleWarnDays,
      idleDisableDays,
    });
    expect(disablesMore(rules(warn, disable), rules(formerWarn, formerDisable))).toBe(expected);
    expect(disablesMore(rules(warn, disable), null)).toBe(disable !== null);
    expect(disablesMore(null, rules(warn, disable))).toBe(false);
  },
);

describe('a policy on the wire', () => {
  it('has all for any permissions, and null for what it does not demand', () => {
    expect(toWireRules(NO_RULES)).toMatchObject({ permissions: 'all', max_lifetime_days: null });
    expect(toRules({ permissions: 'all' })).toEqual(NO_RULES);
    expect(toRules({ permissions: null, new_key_days: 3 })).toEqual({ ...NO_RULES, newKeyDays: 3 });
    expect(toWireRules({ newKeyDays: 3 })).toEqual({ new_key_days: 3 });
  });
});

it('a new key expires when its policy says, but not later than it allows', () => {
  const days = (count: number) => new Date(CREATED.getTime() + count * DAY_MS);
  expect(firstExpiry(null, CREATED)).toBeNull();
  expect(firstExpiry({ ...NO_RULES, newKeyDays: 7 }, CREATED)).toEqual(days(7));
  expect(firstExpiry({ ...NO_RULES, newKeyDays: 70, maxLifetimeDays: 60 }, CREATED)).toEqual(days(60));
  expect(firstExpiry({ ...NO_RULES, maxLifetimeDays: 60 }, CREATED)).toEqual(days(60));
});

it.each([
  [null, ['text_to_speech'], [], []],
  [['models_read'], ['models_read'], [], []],
  [['models_read'], ['models_read', 'voices_read'], [], ['voices_read']],
  [['models_read'], ['models_read', 'voices_read'], ['voices_read'], []],
  [['models_read'], ['models_read', 'voices_read'], null, []],
  [['models_read'], null, ['models_read'], 'all'],
  [[], ['models_read'], [], ['models_read']],
])('a policy of %j lets a key have %j that has %j, but for %j', (permissions, requested, present, beyond) => {
  expect(permissionsBeyond({ ...NO_RULES, permissions }, requested, present)).toEqual(beyond);
});
