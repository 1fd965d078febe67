import { describeAll, describeValue, knownOf, toApiValues, type Filter } from './list-filters';

const FILTERS: Filter[] = [
  { name: 'search', label: 'Name or id', kind: 'search' },
  { name: 'status', label: 'Status', choices: ['in_review', 'done'] },
  { name: 'unused_since', label: 'Not used since', kind: 'date' },
];
const NOW = Date.parse('2026-11-22T12:00:00Z');

it('knows its filters and the page, and nothing else of an address', () => {
  const search = { search: 'a', sort: '-name', cursor: 'c', status: '', utm_source: 'mail', account_id: 'x' };
  expect(knownOf(search, FILTERS)).toEqual({ search: 'a', sort: '-name', cursor: 'c' });
});

it.each([
  ['-90d', '2026-08-24'],
  ['+30d', '2026-12-22'],
  ['2026-01-02', '2026-01-02'],
  ['nonsense', 'nonsense'],
])('the date %s is %s for the api', (value, expected) => {
  expect(toApiValues({ unused_since: value, search: '-90d' }, FILTERS, NOW)).toEqual({
    unused_since: expected,
    search: '-90d',
  });
});

it.each([
  ['status', 'in_review', 'in review'],
  ['status', 'unknown', 'unknown'],
  ['unused_since', '-90d', '90 days ago'],
  ['unused_since', '+30d', 'in 30 days'],
  ['unused_since', '2026-11-30', '30 Nov 2026'],
  ['unused_since', 'nonsense', 'nonsense'],
  ['search', '-90d', '-90d'],
])('%s=%s is “%s” for people', (name, value, expected) => {
  expect(
    describeValue(
      FILTERS.find((filter) => filter.name === name)!,
      value,
    ),
  ).toBe(expected);
});

it('says what a list is narrowed to', () => {
  expect(describeAll({ status: 'done', unused_since: '-7d', sort: 'name' }, FILTERS)).toBe(
    'Status “done”, Not used since “7 days ago”',
  );
});
