import { dayOf, startOfDay, withInstants, zoneName } from './day';

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
    expect(dayOf(new Date(instant!))).toBe('2026-11-22');
  },
);

it('names the zone', () => {
  expect(zoneName(new Date())).toMatch(/^UTC$|^[A-Za-z_/]+, UTC[+−]\d\d:\d\d$/);
});
