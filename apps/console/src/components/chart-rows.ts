import { formatNumber } from './number';

export interface Series {
  id: string;
  name: string;
  values: readonly number[];
  /** Instead of the colour of its turn. */
  tone?: 'good' | 'bad' | 'rest';
}

/** A place of the axis: `tick` beneath it, `label` in full. */
export interface Place {
  tick: string;
  label: string;
}

/** A place with what was counted there, as it is said in words, in the order of the series. */
export interface ChartRow extends Place {
  values: number[];
  total: number;
}

/** A bar in pixels from the top of the drawing; `turn` is that of its series, null for "counted, and it was none". */
export interface ChartBar {
  turn: number | null;
  y: number;
  height: number;
}

/** Pixels above the axis, below it, and of what is above zero at least, so that it is seen beside thousands. */
export const PLOT = 150;
const HANG = 28;
const LEAST = 2;

export function toRows(places: readonly Place[], series: readonly Series[]): ChartRow[] {
  return places.map((place, index) => {
    const values = series.map((one) => one.values[index] ?? 0);
    return { ...place, values, total: sum(values) };
  });
}

/**
 * The bars of each row, stacked upwards. What is bad hangs below the axis where something good stands above it, on a scale of
 * its own, so that three are seen beside five thousand. A refund has no height.
 */
export function layOut(rows: readonly ChartRow[], series: readonly Series[]) {
  const isBelow = (turn: number) =>
    series[turn]!.tone === 'bad' && series.some(({ tone }) => tone === 'good');
  const tallest = (below: boolean) =>
    Math.max(
      0,
      ...rows.map(({ values }) =>
        sum(values.map((value, turn) => (isBelow(turn) === below ? Math.max(0, value) : 0))),
      ),
    );
  const [top, most] = [niceTop(tallest(false)), tallest(true)];
  const stacks = rows.map(({ values }): ChartBar[] => {
    if (values.every((value) => value <= 0)) return [{ turn: null, y: PLOT - 1, height: 1 }];
    let [up, down] = [PLOT, PLOT + LEAST];
    return values.flatMap((value, turn) => {
      if (value <= 0) return [];
      const height = Math.max(LEAST, isBelow(turn) ? (value / most) * HANG : (value / top) * PLOT);
      if (!isBelow(turn)) return [{ turn, y: (up -= height), height }];
      down += height;
      return [{ turn, y: down - height, height }];
    });
  });
  return { top, most, height: PLOT + (most > 0 ? LEAST + HANG : 0), stacks };
}

/** The next of 2, 4, 6, 10, 20, 30, … that is not below a value: half of it is whole, too. */
export function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(2, value)));
  return [1, 2, 3, 4, 6, 10].map((each) => each * power).find((each) => each >= value && each % 2 === 0)!;
}

/** A number beside an axis up to `top`, where there is room for six signs: 2.5 M. */
export function axisNumber(value: number, top: number): string {
  const [unit, sign] = top >= 1e6 ? [1e6, ' M'] : top >= 1e5 ? [1e3, ' k'] : [1, ''];
  return `${formatNumber(value / unit)}${sign}`;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const TURNS = 7;

export function colourOf({ tone }: Series, turn: number): string {
  if (tone === 'good') return 'var(--d1)';
  if (tone === 'bad') return 'var(--bad-mark)';
  return tone === 'rest' ? 'var(--d-rest)' : `var(--d${(turn % TURNS) + 1})`;
}
