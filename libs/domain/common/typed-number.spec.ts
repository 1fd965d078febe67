import { readTypedNumber } from './typed-number';

it.each([
  ['', null],
  ['  ', null],
  ['0', 0],
  [' 10000 ', 10_000],
  ['10,000', 10_000],
  ['1,000,000', 1_000_000],
  ['1 000 000', 1_000_000],
  ['10\u202f000', 10_000],
  ["10'000", 10_000],
  ['-5', -5],
  ['\u22125', -5],
  ['2.5', 2.5],
  ['0.125', 0.125],
])('reads %j as %p', (text, value) => {
  expect(readTypedNumber(text)).toEqual({ value });
});

it.each([
  ['10,00', '10,00 can be read as 10 or as 1000.'],
  ['0,5', '0,5 can be read as 0.5 or as 5.'],
  ['10.000', '10.000 can be read as 10 or as 10000.'],
  ['0x10', '0x10 is not a number'],
  ['1e3', '1e3 is not a number'],
  ['1,000 000', '1,000 000 is not a number'],
  ['1,00,000', '1,00,000 is not a number'],
  ['ten', 'ten is not a number'],
  ['Infinity', 'Infinity is not a number'],
])('refuses %j: %s', (text, problem) => {
  expect(readTypedNumber(text)).toEqual({ problem: expect.stringContaining(problem) as string });
});
