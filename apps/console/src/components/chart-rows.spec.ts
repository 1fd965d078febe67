import { axisNumber, colourOf, layOut, niceTop, PLOT, toRows, type Series } from './chart-rows';

const place = (tick: string) => ({ tick, label: `${tick} Nov 2026` });
const lay = (places: string[], series: Series[]) => {
  const rows = toRows(places.map(place), series);
  return { rows, ...layOut(rows, series) };
};

it('a count of 3 is drawn tall enough to be seen beside 90,000, and keeps its number', () => {
  const { rows, stacks } = lay(
    ['1', '2'],
    [
      { id: 'voices', name: 'Voices', values: [90_000, 0] },
      { id: 'speech', name: 'Speech', values: [0, 3] },
    ],
  );
  expect(rows[1]).toMatchObject({ values: [0, 3], total: 3 });
  expect(stacks[1]).toEqual([{ turn: 1, y: PLOT - 2, height: 2 }]);
});

it('what is bad hangs below the axis, on a scale of its own, only where something good stands above it', () => {
  const good: Series = { id: 'served', name: 'Served', values: [5_000, 4_000], tone: 'good' };
  const bad: Series = { id: 'refused', name: 'Refused', values: [3, 6], tone: 'bad' };
  const { top, most, height, stacks } = lay(['1', '2'], [good, bad]);
  expect({ top, most }).toEqual({ top: 6_000, most: 6 });
  expect(stacks[0]![1]!.y).toBeGreaterThan(PLOT);
  expect(stacks[1]![1]!.height).toBe(2 * stacks[0]![1]!.height);
  expect(stacks[1]![1]!.y + stacks[1]![1]!.height).toBe(height);
  expect(lay(['1'], [bad])).toMatchObject({
    most: 0,
    height: PLOT,
    stacks: [[{ turn: 0, y: expect.any(Number) }]],
  });
});

it('a place where nothing was counted has a mark of its own, and a place with something has none', () => {
  const { stacks } = lay(['1', '2'], [{ id: 'all', name: 'All', values: [0, 1_000] }]);
  expect(stacks.map(([bar]) => bar!.turn)).toEqual([null, 0]);
});

it('a refund has no height', () => {
  expect(lay(['1'], [{ id: 'all', name: 'All', values: [-5] }]).stacks).toEqual([
    [{ turn: null, y: PLOT - 1, height: 1 }],
  ]);
});

it('a series that ends early counts as 0 from there on', () => {
  const { rows } = lay(['1', '2'], [{ id: 'all', name: 'All', values: [5] }]);
  expect(rows.map(({ values }) => values)).toEqual([[5], [0]]);
});

it('colours follow the tone, or the turn of the series', () => {
  const series = { id: 'a', name: 'A', values: [] };
  expect(colourOf({ ...series, tone: 'bad' }, 0)).toBe('var(--bad-mark)');
  expect(colourOf({ ...series, tone: 'rest' }, 0)).toBe('var(--d-rest)');
  expect([0, 6, 7].map((turn) => colourOf(series, turn))).toEqual(['var(--d1)', 'var(--d7)', 'var(--d1)']);
});

it('an axis ends little above what is drawn, half of it is a whole number, and numbers beside it are short', () => {
  expect([0, 1, 3, 21, 2_498_253, 10_000_001].map(niceTop)).toEqual([2, 2, 4, 30, 3_000_000, 20_000_000]);
  expect([3_000_000, 1_500_000].map((value) => axisNumber(value, 3_000_000))).toEqual(['3 M', '1.5 M']);
  expect([axisNumber(50_000, 100_000), axisNumber(30_000, 60_000)]).toEqual(['50 k', '30,000']);
});
