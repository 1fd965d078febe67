import { dayPlace, DAYS_AXIS, listDays } from './chart-places';
import type { Series } from './chart-rows';

export interface DayCount {
  day: string;
  kind: string;
  count: number;
}

/**
 * Counts by day as the props of a chart: one series for each kind that was counted.
 *
 * @param order kinds from the bottom of the stack to its top; others follow, the largest first
 */
export function byDay(
  { from, to }: { from: string; to: string },
  counts: readonly DayCount[],
  toSeries: (kind: string, place: number) => Omit<Series, 'id' | 'values'>,
  order: readonly string[] = [],
) {
  const days = listDays(from, to);
  const values = new Map<string, number[]>();
  for (const { day, kind, count } of counts) {
    const ofKind = values.get(kind) ?? days.map(() => 0);
    ofKind[days.indexOf(day)]! += count;
    values.set(kind, ofKind);
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
