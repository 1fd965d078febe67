import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { axisNumber, colourOf, niceTop, PLOT, type ChartRow, type Series } from './chart-rows';

const TICKS = 5;
/** Below this share of it, a limit is too far away to be drawn. */
const NEAR = 0.25;

export interface Limit {
  value: number;
  text: string;
}

/** The drawn part of a chart as lines: SVG without a library, stretched to its place, with its words beside it. */
export function ChartLines(props: { rows: readonly ChartRow[]; series: readonly Series[]; limit?: Limit }) {
  const { rows, series, limit } = props;
  const tallest = Math.max(1, ...rows.flatMap(({ values }) => values));
  const isNear = limit !== undefined && tallest > limit.value * NEAR;
  const top = niceTop(isNear ? Math.max(tallest, limit.value) : tallest);
  const y = (value: number) => 100 - (value / top) * 100;
  const step = 100 / Math.max(1, rows.length - 1);
  const points = (turn: number) =>
    rows.map(({ values }, place) => `${place * step},${y(values[turn] ?? 0)}`).join(' ');
  return (
    <div className="gr-lines" aria-hidden>
      <Plot top={top} words={isNear && <b style={{ top: `${y(limit.value)}%` }}>{limit.text}</b>}>
        {isNear && <path d={`M0 ${y(limit.value)}H100`} stroke="var(--bad-mark)" strokeDasharray="4 3" />}
        {series.map((one, turn) => (
          <polyline key={one.id} points={points(turn)} stroke={colourOf(one, turn)} strokeWidth={1.75} />
        ))}
      </Plot>
      <ChartTicks rows={rows} />
    </div>
  );
}

/** What is drawn from 0,100 to 100,0, stretched to its room, with the numbers from 0 to `top` beside it. */
export function Plot({ top, words, children }: { top: number; words: ReactNode; children: ReactNode }) {
  return (
    <div style={{ height: PLOT }}>
      {[50, 0].map((y) => (
        <span key={y} style={{ top: `${y}%` }}>
          {axisNumber(top * (1 - y / 100), top)}
        </span>
      ))}
      {words}
      <svg viewBox="0 0 100 100" preserveAspectRatio="none">
        {[0, 50, 100].map((y) => (
          <path key={y} d={`M0 ${y}H100`} stroke="var(--line)" />
        ))}
        {children}
      </svg>
    </div>
  );
}

export function ChartTicks({ rows }: { rows: readonly ChartRow[] }) {
  const places = new Set(
    Array.from({ length: TICKS }, (_, turn) => Math.round((turn * (rows.length - 1)) / (TICKS - 1))),
  );
  return (
    <Group justify="space-between" gap={0} ml={52} aria-hidden>
      {[...places].map((place) => (
        <span key={place}>{rows[place]?.tick}</span>
      ))}
    </Group>
  );
}

export function Swatch({ colour }: { colour: string }) {
  return (
    <svg width="0.7rem" height="0.7rem" viewBox="0 0 10 10" aria-hidden>
      <rect width={10} height={10} rx={2} fill={colour} />
    </svg>
  );
}
