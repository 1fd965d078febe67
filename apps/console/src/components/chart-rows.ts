/** What is counted, one number for each place of the axis. */
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

/** A stack of the chart. */
export interface ChartRow extends Place {
  /** As they are shown in words, in the order of the series. */
  values: number[];
  /** As they are drawn: what is above zero is tall enough to be seen beside thousands, a refund has no height. */
  drawn: number[];
  /** Height of the mark that says "counted, and it was none"; 0 where there is something. */
  none: number;
  total: number;
}

/** Of the tallest stack: a bar of 2 pixels, and a line of 1. */
const LEAST_SHARE = 0.012;
const NONE_SHARE = 0.006;

/** The stacks of a chart from its places and series. A series without a value for a place counts as 0 there. */
export function toRows(places: readonly Place[], series: readonly Series[]): ChartRow[] {
  const stacks = places.map((_, place) => series.map(({ values }) => values[place] ?? 0));
  const totals = stacks.map(sum);
  const tallest = Math.max(1, ...totals);
  return places.map((place, index) => {
    const values = stacks[index]!;
    const total = totals[index]!;
    return {
      ...place,
      values,
      drawn: values.map((value) => (value <= 0 ? 0 : Math.max(value, tallest * LEAST_SHARE))),
      none: values.every((value) => value === 0) ? tallest * NONE_SHARE : 0,
      total,
    };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

const TURNS = 7;

/** The colour of a series: of its tone, or of its turn. */
export function colourOf({ tone }: Series, turn: number): string {
  if (tone === 'good') return 'var(--d1)';
  if (tone === 'bad') return 'var(--bad-mark)';
  return tone === 'rest' ? 'var(--d-rest)' : `var(--d${(turn % TURNS) + 1})`;
}
