import { plural, sentence } from './sentences';
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

it('ends a sentence once', () => {
  expect([sentence('Give 203.0.113.0/24'), sentence('Is it 203.0.113.0/24?'), sentence('Done.')]).toEqual([
    'Give 203.0.113.0/24.',
    'Is it 203.0.113.0/24?',
    'Done.',
  ]);
  const reason = 'it is a /32.';
  expect(describeRefusal('invalid_cursor', { reason })).not.toContain('..');
});
