import { useState } from 'react';
import { ChartTicks, Swatch } from './chart-lines';
import { axisNumber, colourOf, layOut, PLOT, type ChartRow, type Series } from './chart-rows';
import { formatNumber } from './number';

/** Of a place, and of its bar, in the units of a drawing that is stretched to its room. */
const STEP = 10;
const BAR = 8.4;

interface DrawingProps {
  rows: readonly ChartRow[];
  series: readonly Series[];
  unit: string;
  label: string;
}

export function ChartDrawing({ rows, series, unit, label }: DrawingProps) {
  const [place, setPlace] = useState<number | null>(null);
  const { top, most, height, stacks } = layOut(rows, series);
  const show = (next: number) => setPlace(Math.min(rows.length - 1, Math.max(0, next)));
  return (
    <div className="gr-lines">
      <div
        style={{ height }}
        role="application"
        tabIndex={0}
        aria-label={`${label}. The left and right arrow keys read it place by place.`}
        onKeyDown={({ key }) => {
          if (key === 'ArrowRight') show(place === null ? 0 : place + 1);
          if (key === 'ArrowLeft') show(place === null ? rows.length - 1 : place - 1);
        }}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          show(Math.floor(((clientX - left) / width) * rows.length));
        }}
        onPointerLeave={() => setPlace(null)}
        onBlur={() => setPlace(null)}
      >
        {[top / 2, top].map((value) => (
          <span key={value} style={{ top: PLOT * (1 - value / top) }} aria-hidden>
            {axisNumber(value, top)}
          </span>
        ))}
        {most > 0 && (
          <b style={{ top: height - 6 }} aria-hidden>
            {axisNumber(most, most)}
          </b>
        )}
        <svg viewBox={`0 0 ${rows.length * STEP} ${height}`} preserveAspectRatio="none" aria-hidden>
          {place !== null && <rect x={place * STEP} width={STEP} height={height} fill="var(--track)" />}
          {[0, PLOT / 2, PLOT].map((y) => (
            <path key={y} d={`M0 ${y}H${rows.length * STEP}`} stroke="var(--line)" />
          ))}
          {stacks.map((bars, at) =>
            bars.map(({ turn, ...bar }) => (
              <rect
                key={`${at} ${turn}`}
                className="gr-chart-bar"
                x={at * STEP + (STEP - BAR) / 2}
                width={BAR}
                {...bar}
                fill={turn === null ? 'var(--ink-3)' : colourOf(series[turn]!, turn)}
              />
            )),
          )}
        </svg>
        {place !== null && <Words row={rows[place]!} {...{ series, unit }} share={place / rows.length} />}
      </div>
      <ChartTicks rows={rows} />
    </div>
  );
}

/** What the place under the pointer, or the one chosen with the arrow keys, says. */
function Words(
  props: Pick<DrawingProps, 'series' | 'unit'> & {
    row: ChartRow;
    share: number;
  },
) {
  const { row, series, unit, share } = props;
  const side = share < 0.5 ? { left: `${share * 100}%` } : { right: `${(1 - share) * 100}%` };
  return (
    <div className="gr-chart-words" role="status" style={side}>
      <strong>{row.label}</strong>
      {series.map((one, turn) => (
        <div key={one.id}>
          <Swatch colour={colourOf(one, turn)} /> <bdi>{one.name}</bdi>: {formatNumber(row.values[turn] ?? 0)}
        </div>
      ))}
      {series.length > 1 && (
        <div>
          {formatNumber(row.total)} {unit} in all
        </div>
      )}
    </div>
  );
}
