import { Choice } from '../components/choice';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Schema } from '../api/client';
import { Chart } from '../components/chart';
import { instantPlace, INSTANTS_AXIS } from '../components/chart-places';
import type { Series } from '../components/chart-rows';
import { Loaded } from '../components/loading';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { flowQuery } from './queue-queries';

type Flow = Schema['ThroughputResponse'];

const STRETCHES = [
  { value: '60', label: 'Last hour' },
  { value: '360', label: 'Last 6 hours' },
  { value: '1440', label: 'Last day' },
];

/** Reviews that were finished, and attempts that failed, over time. */
export function FlowPanel({ minutes, onMinutes }: { minutes: string; onMinutes: (minutes: string) => void }) {
  const query = useQuery({ ...flowQuery(minutes), placeholderData: keepPreviousData });
  return (
    <Panel
      title="Reviews over time"
      actions={<Choice aria-label="Period" size="xs" data={STRETCHES} value={minutes} onPick={onMinutes} />}
    >
      <Loaded query={query}>
        {(flow) => (
          <Chart
            label="Reviews over time"
            summary={summaryOf(flow)}
            unit="reviews"
            axis={INSTANTS_AXIS}
            places={flow.items.map(({ from }) => instantPlace(Date.parse(from)))}
            series={toSeries(flow)}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function toSeries({ items }: Flow): Series[] {
  return [
    {
      id: 'finished',
      name: 'finished',
      tone: 'good',
      values: items.map(({ completed, rejected }) => completed + rejected),
    },
    {
      id: 'failed',
      name: 'failed',
      tone: 'bad',
      values: items.map(({ failed, stalled }) => failed + stalled),
    },
  ];
}

function summaryOf({ items, step_minutes }: Flow): string {
  const sum = (read: (item: Flow['items'][number]) => number) =>
    items.reduce((total, item) => total + read(item), 0);
  const finished = sum(({ completed, rejected }) => completed + rejected);
  return [
    `${plural(
      sum(({ requested }) => requested),
      'review',
    )} requested`,
    `${formatNumber(finished)} finished`,
    `${plural(
      sum(({ failed }) => failed),
      'attempt',
    )} failed and tried again`,
    `${formatNumber(sum(({ stalled }) => stalled))} failed after the last attempt; ${plural(step_minutes, 'minute')} a bar`,
  ].join(', ');
}
