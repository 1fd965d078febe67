import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { TooltipContentProps } from 'recharts';
import { colourOf, type ChartRow, type Series } from './chart-rows';
import { formatNumber } from './number';
import { Swatch } from './swatch';

/** Not read aloud: the summary and the table beneath say the same in order. */
const TICK = { fill: 'var(--mantine-color-dimmed)', fontSize: 12, 'aria-hidden': true };

/** The drawn part of a chart, in a separate file because its library is loaded only where a chart is shown. */
export function ChartDrawing({
  rows,
  series,
  unit,
  label,
  height,
}: {
  rows: ChartRow[];
  series: readonly Series[];
  unit: string;
  label: string;
  height: number;
}) {
  return (
    <ResponsiveContainer width="100%" height={height}>
      <BarChart
        data={rows}
        margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
        barCategoryGap="12%"
        aria-label={`${label}. The left and right arrow keys read it place by place.`}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="tick"
          tick={TICK}
          stroke="var(--line)"
          interval="equidistantPreserveStart"
          minTickGap={16}
        />
        <YAxis
          width="auto"
          allowDecimals={false}
          tick={TICK}
          stroke="var(--line)"
          tickFormatter={formatNumber}
          label={{ ...TICK, value: unit, angle: -90, position: 'insideLeft', textAnchor: 'middle' }}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--track)', fillOpacity: 0.6 }}
          content={(props) => <Words {...props} series={series} unit={unit} />}
        />
        <Bar
          dataKey="none"
          stackId="all"
          fill="var(--mantine-color-dimmed)"
          isAnimationActive={false}
          tooltipType="none"
        />
        {series.map(({ id, ...rest }, turn) => (
          <Bar
            key={id}
            dataKey={({ drawn }: ChartRow) => drawn[turn] ?? 0}
            stackId="all"
            fill={colourOf({ id, ...rest }, turn)}
            stroke="var(--mantine-color-body)"
            strokeWidth={series.length > 1 ? 1 : 0}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}

/** What the place under the pointer, or the one chosen with the arrow keys, says. */
function Words({
  active,
  payload,
  series,
  unit,
}: TooltipContentProps & { series: readonly Series[]; unit: string }) {
  const row = payload[0]?.payload as ChartRow | undefined;
  if (!active || !row) return null;
  return (
    <div className="gr-chart-words" role="status">
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
