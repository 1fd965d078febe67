import { allOf, grouped, plural, sentence } from './sentences';
import { describeRefusal } from '../errors';

it.each([
  [0, '0 changes'],
  [1, '1 change'],
  [2, '2 changes'],
])('counts %d', (count, text) => {
  expect(plural(count, 'change')).toBe(text);
});

it('knows plurals of another form, and writes numbers as it is asked to', () => {
  expect([
    plural(1, 'entry', 'entries'),
    plural(2_000, 'entry', 'entries', (count) => `${count / 1_000}k`),
  ]).toEqual(['1 entry', '2k entries']);
});

it.each([0, 7, 999, 1_000, -12_480, 1_234_567, 0.5, 1_999.9996, 12_345.678])(
  'groups %d as the platform does',
  (value) => {
    expect(grouped(value)).toBe(new Intl.NumberFormat('en-GB').format(value));
  },
);

it('names all', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(allOf)).toEqual(['', 'a', 'a and b', 'a, b and c']);
});

it('ends a sentence once', () => {
  expect([sentence('Give 203.0.113.0/24'), sentence('Is it 203.0.113.0/24?'), sentence('Done.')]).toEqual([
    'Give 203.0.113.0/24.',
    'Is it 203.0.113.0/24?',
    'Done.',
  ]);
  const reason = 'it is a /32.';
  expect(describeRefusal('invalid_cursor', { reason })).not.toContain('..');
});
