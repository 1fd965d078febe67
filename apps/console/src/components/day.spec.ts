import { localDay } from '@app/domain/common/date-text';
import { dayHeading, startOfDay, withInstants, zoneName } from './day';

it('leaves everything but days of time filters as it is', () => {
  const filters = {
    search: '2026-11-22',
    from: 'greenroom-2026',
    created_since: undefined,
    used_since: 'soon',
  };
  expect(withInstants(filters)).toEqual(filters);
});

it.each(['from', 'to', 'created_before', 'unused_since'])(
  'a day in %s begins where the reader is',
  (name) => {
    const { [name]: instant } = withInstants({ [name]: '2026-11-22' });
    expect(instant).toBe(startOfDay('2026-11-22'));
    expect(localDay(instant!)).toBe('2026-11-22');
  },
);

it('names the zone', () => {
  expect(zoneName(new Date())).toMatch(/^UTC$|^[A-Za-z_/]+, UTC[+−]\d\d:\d\d$/);
});

it.each([
  ['2026-11-29T08:00:00', 'Today'],
  ['2026-11-28T23:59:00', 'Yesterday'],
  ['2026-11-26T12:00:00', 'Thu 26 Nov 2026'],
])('the heading of %s, on 29 November, is %s', (at, heading) => {
  expect(dayHeading(at, new Date('2026-11-29T09:00:00'))).toBe(heading);
});
