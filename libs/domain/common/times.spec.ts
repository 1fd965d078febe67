import fc from 'fast-check';
import { readDay, readTime } from './times';

it.each([
  ['2030-01-31', '2030-01-31T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2030-01-31T12:00Z', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T23:59:59.123456789Z', '2030-01-31T23:59:59.123Z'],
  ['2030-01-31T00:30:00+05:45', '2030-01-30T18:45:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
])('reads %s', (text, instant) => {
  expect(readTime(text)?.toISOString()).toBe(instant);
});

it.each([
  ['a day that its month does not have', '2030-02-30'],
  ['a leap day of a common year', '2030-02-29'],
  ['a leap day of a century', '2100-02-29'],
  ['31 April, with a time', '2030-04-31T12:00:00Z'],
  ['month 0', '2030-00-10'],
  ['month 13', '2030-13-10'],
  ['day 0', '2030-01-00'],
  ['24:00', '2030-01-31T24:00:00Z'],
  ['a leap second', '2030-06-30T23:59:60Z'],
  ['minute 60', '2030-01-31T12:60:00Z'],
  ['a zone of 24 hours', '2030-01-31T12:00:00+24:00'],
  ['a zone with minute 60', '2030-01-31T12:00:00+01:60'],
  ['year 0', '0000-01-01'],
  ['a time that is in year 10000 in UTC', '9999-12-31T23:59:59-01:00'],
  ['no zone', '2030-01-31T12:00:00'],
  ['another order', '31.01.2030'],
  ['words', 'tomorrow'],
  ['more after it', '2030-01-31 '],
])('refuses %s', (_, text) => {
  expect(readTime(text)).toBeNull();
});

it('reads every instant that a program writes', () => {
  const dates = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(dates, (date) => {
      const text = date.toISOString();
      expect([readTime(text), readDay(text.slice(0, 10))]).toEqual([date, text.slice(0, 10)]);
    }),
  );
});
