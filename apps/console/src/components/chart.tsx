import { Group, Skeleton, Text } from '@mantine/core';
import { colourOf, PLOT, toRows, type ChartRow, type Place, type Series } from './chart-rows';
import { ChartLines, type Limit, Swatch } from './chart-lines';
import { lazyScreen } from '../api/lazy-screen';
import { formatNumber } from './number';
import { Part } from './part';
import { SimpleTable } from './simple-table';

const Drawing = lazyScreen(() => import('./chart-drawing'), 'ChartDrawing');

interface ChartProps {
  /** What is shown, for those who cannot see it: "Credits by day". */
  label: string;
  /** The same in a sentence with its sums, beneath the chart. */
  summary: string;
  /** Of the numbers, beside their axis. */
  unit: string;
  /** What the places of the axis are, with their time zone: "Day (UTC)". */
  axis: string;
  places: readonly Place[];
  series: readonly Series[];
  lines?: boolean;
  limit?: Limit;
}

export function Chart({ label, summary, unit, axis, places, series, lines, limit }: ChartProps) {
  const rows = toRows(places, series);
  return (
    <figure className="gr-chart" aria-label={label}>
      {lines ? (
        <ChartLines rows={rows} series={series} limit={limit} />
      ) : (
        <Part waiting={<Skeleton height={PLOT} role="status" aria-label="Loading" />}>
          <Drawing rows={rows} series={series} unit={unit} label={label} />
        </Part>
      )}
      {series.length > 1 && <Legend series={series} />}
      <Text component="figcaption" fz="sm" c="dimmed" my={6}>
        {summary}
      </Text>
      <details className="gr-chart-table">
        <summary>As a table</summary>
        <Numbers label={label} unit={lines ? null : unit} axis={axis} rows={rows} series={series} />
      </details>
    </figure>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <Group component="ul" gap="3px 16px" mt={5} fz="sm" aria-label="Colours">
      {series.map((one, turn) => (
        <li key={one.id}>
          <Swatch colour={colourOf(one, turn)} /> <bdi>{one.name}</bdi>
        </li>
      ))}
    </Group>
  );
}

function Numbers(
  props: Pick<ChartProps, 'label' | 'axis' | 'series'> & {
    unit: string | null;
    rows: ChartRow[];
  },
) {
  const { label, unit, axis, rows, series } = props;
  return (
    <SimpleTable
      name={label}
      stacks={false}
      rows={rows}
      rowId={(row) => row.label}
      columns={[
        { header: axis, cell: (row) => row.label },
        ...series.map(({ name }, turn) => ({
          header: <bdi>{name}</bdi>,
          number: true,
          cell: ({ values }: ChartRow) => formatNumber(values[turn]!),
        })),
        unit !== null &&
          series.length > 1 && {
            header: `All ${unit}`,
            number: true,
            cell: ({ total }) => formatNumber(total),
          },
      ]}
    />
  );
}
