import { chooseCoding, type Coding } from './content-coding';

it.each<[string | undefined, Coding | null]>([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip; q=0', null],
  ['*', 'br'],
  ['*;q=0', null],
  ['*, br;q=0', 'gzip'],
  ['br;q=nonsense', null],
  ['gzipped, brotli', null],
  ['identity', null],
  ['', null],
  [undefined, null],
])('%s: %s', (header, expected) => {
  expect(chooseCoding(header)).toBe(expected);
});

it('chooses only what is offered', () => {
  expect(chooseCoding('br, gzip;q=0.1', ['gzip'])).toBe('gzip');
  expect(chooseCoding('br', ['gzip'])).toBeNull();
  expect(chooseCoding('br', [])).toBeNull();
});
