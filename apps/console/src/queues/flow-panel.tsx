import { Choice } from '../components/choice';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Schema } from '../api/client';
import { Chart } from '../components/chart';
import { instantPlace, INSTANTS_AXIS } from '../components/chart-places';
import type { Series } from '../components/chart-rows';
import { Loaded } from '../components/loading';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { flowQuery, timesQuery } from './queue-queries';
import { startedText } from '../components/times-text';
import { SLOW_SECS } from '@app/domain/reviews/queue-verdict';

type Flow = Schema['ThroughputResponse'];

const STRETCHES = [
  { value: '60', label: 'Last hour' },
  { value: '360', label: 'Last 6 hours' },
  { value: '1440', label: 'Last day' },
];

const EVERY_MS = 30_000;

/** What keeps up, and what a customer waits for: reviews that come and end, and how long until one starts. */
export function FlowPanels({
  minutes,
  onMinutes,
}: {
  minutes: string;
  onMinutes: (minutes: string) => void;
}) {
  return (
    <div className="gr-halves">
      <FlowPanel minutes={minutes} />
      <StartPanel minutes={minutes} onMinutes={onMinutes} />
    </div>
  );
}

function FlowPanel({ minutes }: { minutes: string }) {
  const query = useQuery({ ...flowQuery(minutes), placeholderData: keepPreviousData });
  return (
    <Panel title="Reviews over time">
      <Loaded query={query}>
        {(flow) => (
          <Chart
            lines
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

function StartPanel({ minutes, onMinutes }: { minutes: string; onMinutes: (minutes: string) => void }) {
  const query = useQuery({
    ...timesQuery('reviews', minutes),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
  return (
    <Panel
      title="Seconds until a review starts"
      actions={<Choice aria-label="Period" size="xs" data={STRETCHES} value={minutes} onPick={onMinutes} />}
    >
      <Loaded query={query}>
        {({ items, waiting }) => (
          <Chart
            lines
            label="Until a review starts"
            summary={startedText(waiting)}
            unit="seconds"
            axis={INSTANTS_AXIS}
            places={items.map(({ from }) => instantPlace(Date.parse(from)))}
            series={[
              {
                id: 'waiting',
                name: '95 % within, seconds',
                values: items.map((item) => item.waiting_p95_secs ?? 0),
              },
            ]}
            limit={{ value: SLOW_SECS, text: `${SLOW_SECS} s` }}
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
      id: 'requested',
      name: 'requested',
      values: items.map(({ requested }) => requested),
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
    `${formatNumber(sum(({ stalled }) => stalled))} failed after the last attempt; ${plural(step_minutes, 'minute')} a point`,
  ].join(', ');
}
