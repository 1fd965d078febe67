import { dayPlace, DAYS_AXIS, listDays } from './chart-places';
import type { Series } from './chart-rows';

/**
 * Counts by day as the props of a chart: one series for each kind that was counted.
 *
 * @param fields of a count: its kind, and how many there were
 * @param order kinds from the bottom of the stack to its top; others follow, the largest first
 */
export function byDay<Kind extends string, Count extends string>(
  { from, to }: { from: string; to: string },
  counts: readonly ({ day: string } & Record<Kind, string> & Record<Count, number>)[],
  [kindField, countField]: readonly [Kind, Count],
  toSeries: (kind: string, place: number) => Omit<Series, 'id' | 'values'>,
  order: readonly string[] = [],
) {
  const days = listDays(from, to);
  const values = new Map<string, number[]>();
  for (const each of counts) {
    const ofKind = values.get(each[kindField]) ?? days.map(() => 0);
    ofKind[days.indexOf(each.day)]! += each[countField];
    values.set(each[kindField], ofKind);
  }
  const rank = (kind: string) => (order.includes(kind) ? order.indexOf(kind) : order.length);
  const kinds = [...values].sort(
    ([a, ofA], [b, ofB]) => rank(a) - rank(b) || sumOf(ofB) - sumOf(ofA) || a.localeCompare(b),
  );
  const series: Series[] = kinds.map(([id, ofKind], place) => ({
    id,
    values: ofKind,
    ...toSeries(id, place),
  }));
  return { axis: DAYS_AXIS, places: days.map(dayPlace), series };
}

export const sumOf = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
