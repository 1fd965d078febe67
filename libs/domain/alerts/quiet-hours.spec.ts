import { afterQuietHours, isTimeZone } from './quiet-hours';

const at = (time: string) => new Date(`2026-11-23T${time}Z`);
const NIGHT = { from: 22 * 60, to: 7 * 60, timeZone: 'Europe/Berlin' };

describe('afterQuietHours', () => {
  it.each([
    // Berlin is an hour ahead of UTC in winter.
    ['in the evening, before it begins', '20:59:59', '20:59:59'],
    ['as it begins', '21:00:00', '2026-11-24T06:00:00.000Z'],
    ['after midnight', '02:30:15', '06:00:00'],
    ['in its last minute', '05:59:59', '06:00:00'],
    ['as it ends', '06:00:00', '06:00:00'],
    ['at noon', '12:00:00', '12:00:00'],
  ])('%s', (_, now, expected) => {
    const requested = expected.includes('T') ? new Date(expected) : at(expected);
    expect(afterQuietHours(at(now), NIGHT)).toEqual(requested);
  });

  it('within one day', () => {
    const lunch = { from: 12 * 60, to: 13 * 60, timeZone: 'UTC' };
    expect(afterQuietHours(at('12:20:30'), lunch)).toEqual(at('13:00:00'));
    expect(afterQuietHours(at('13:00:00'), lunch)).toEqual(at('13:00:00'));
  });

  it('none', () => {
    expect(afterQuietHours(at('02:00:00'), null)).toEqual(at('02:00:00'));
    expect(afterQuietHours(at('02:00:00'), { ...NIGHT, to: NIGHT.from })).toEqual(at('02:00:00'));
  });
});

it.each([
  ['Europe/Berlin', true],
  ['Asia/Kathmandu', true],
  ['UTC', true],
  ['Berlin', false],
  ['', false],
  ['../etc/passwd', false],
])('isTimeZone(%j) is %s', (text, expected) => expect(isTimeZone(text)).toBe(expected));
