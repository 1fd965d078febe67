import { colourOf, toRows } from './chart-rows';

const place = (tick: string) => ({ tick, label: `${tick} Nov 2026` });

it('a count of 3 is drawn tall enough to be seen beside 90,000, and keeps its number', () => {
  const [many, few] = toRows(
    [place('1'), place('2')],
    [
      { id: 'served', name: 'Served', values: [90_000, 0] },
      { id: 'refused', name: 'Refused', values: [0, 3] },
    ],
  );
  expect(few).toMatchObject({ values: [0, 3], total: 3, none: 0 });
  expect(few!.drawn[1]! / many!.drawn[0]!).toBeGreaterThan(0.01);
  expect(many!.drawn).toEqual([90_000, 0]);
});

it('a place where nothing was counted has a mark of its own, and a place with something has none', () => {
  const rows = toRows([place('1'), place('2')], [{ id: 'all', name: 'All', values: [0, 1_000] }]);
  expect(rows.map(({ none }) => none > 0)).toEqual([true, false]);
});

it('a series that ends early counts as 0 from there on', () => {
  const rows = toRows([place('1'), place('2')], [{ id: 'all', name: 'All', values: [5] }]);
  expect(rows.map(({ values }) => values)).toEqual([[5], [0]]);
});

it('colours follow the tone, or the turn of the series', () => {
  const series = { id: 'a', name: 'A', values: [] };
  expect(colourOf({ ...series, tone: 'bad' }, 0)).toBe('var(--bad-mark)');
  expect(colourOf({ ...series, tone: 'rest' }, 0)).toBe('var(--d-rest)');
  expect([0, 6, 7].map((turn) => colourOf(series, turn))).toEqual(['var(--d1)', 'var(--d7)', 'var(--d1)']);
});
