import { binds, firstToEnd, standingOf } from './key-limits';

const DAY = 86_400_000;
const window = {
  id: 'key',
  start: new Date(0).toISOString(),
  end: new Date(100 * DAY).toISOString(),
};

it.each([
  [{ used: 50, limit: 100 }, 50, { share: 0.5, endsAt: null }],
  [{ used: 50, limit: 100 }, 25, { share: 0.5, endsAt: 50 * DAY }],
  [{ used: 100, limit: 100 }, 40, { share: 1, endsAt: 40 * DAY }],
  [{ used: 0, limit: 0 }, 40, { share: 1, endsAt: 40 * DAY }],
  [{ used: 0, limit: 100 }, 99, { share: 0, endsAt: null }],
  [{ used: 5, limit: 100 }, 0, { share: 0.05, endsAt: 20 * DAY }],
  [{ used: 1, limit: 100 }, 0.1, { share: 0.01, endsAt: null }],
])('%o on day %d of 100', (limit, now, standing) => {
  expect(standingOf({ ...window, ...limit }, now * DAY)).toEqual(standing);
});

it('what ends first stands first, then what is used most', () => {
  const late = { share: 0.9, endsAt: 80 };
  const soon = { share: 0.5, endsAt: 20 };
  const [little, much] = [
    { share: 0.1, endsAt: null },
    { share: 0.7, endsAt: null },
  ];
  expect([little, late, much, soon].toSorted(firstToEnd)).toEqual([soon, late, much, little]);
});

it.each([
  ['of the account', { subject: 'account' }, true],
  ['of the key', { subject: 'key', key_id: 'a' }, true],
  ['of another key', { subject: 'key', key_id: 'b' }, false],
  ['of a tag of the key', { subject: 'tag', tag: 'ivr' }, true],
  ['of another tag', { subject: 'tag', tag: 'web' }, false],
  ['of each end user', { subject: 'end_user', left: null }, false],
])('a budget %s binds the key: %#', (_, budget, bound) => {
  expect(binds({ key_id: null, tag: null, left: 5, ...budget }, { id: 'a', tags: ['ivr'] })).toBe(bound);
});
