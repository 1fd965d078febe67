import { byDay, sumOf } from './chart-days';

const range = { from: '2026-11-20', to: '2026-11-22' };
const named = (kind: string) => ({ name: kind });

it('one series for each kind, the largest first, with a number for every day', () => {
  const { places, series } = byDay(
    range,
    [
      { day: '2026-11-20', kind: 'few', count: 1 },
      { day: '2026-11-22', kind: 'many', count: 5 },
      { day: '2026-11-22', kind: 'few', count: 2 },
    ],
    ['kind', 'count'],
    named,
  );
  expect(places.map(({ tick }) => tick)).toEqual(['20 Nov', '21 Nov', '22 Nov']);
  expect(series).toEqual([
    { id: 'many', name: 'many', values: [0, 0, 5] },
    { id: 'few', name: 'few', values: [1, 0, 2] },
  ]);
  expect(series.map(({ values }) => sumOf(values))).toEqual([5, 3]);
});

it('kinds with a place of their own come in their order, others after them', () => {
  const counts = ['other', 'bad', 'good'].map((kind) => ({ day: range.from, kind, count: 1 }));
  const { series } = byDay(range, counts, ['kind', 'count'], named, ['good', 'bad']);
  expect(series.map(({ id }) => id)).toEqual(['good', 'bad', 'other']);
});
