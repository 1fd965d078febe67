import { readRange } from './byte-range';

it.each([
  [undefined, null],
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=99-99', { start: 99, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=99999999999999999999999-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-0', null],
  ['bytes=-', null],
  ['bytes=0-1,5-6', null],
  ['bytes=a-b', null],
  ['items=0-1', null],
])('%s of 100 bytes', (header, expected) => {
  expect(readRange(header, 100)).toEqual(expected);
});
