import { durationText } from '@app/domain/common/duration-text';
import { SLOW_SECS } from '@app/domain/reviews/queue-verdict';
import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../api/client';
import { Chart } from '../components/chart';
import { sumOf } from '../components/chart-days';
import { instantPlace, instantsAxis } from '../components/chart-places';
import type { Series } from '../components/chart-rows';
import { Choice } from '../components/fields';
import { named } from '../components/list-filters';
import { Facts, Empty, Loaded, Panel } from '../components/page';
import { formatNumber, plural } from '../components/number';
import { Time } from '../components/inline';
import { forecastText, secondsText, shareText, startedText } from '../components/times-text';
import { timesQuery, flowQuery } from './queue-queries';

type Times = Schema['QueueTimesResponse'];
type Work = 'reviews' | 'webhooks';

const WORKS = named({ reviews: 'Reviews', webhooks: 'Webhooks' });

const STRETCHES = [
  { value: '60', label: 'Last hour' },
  { value: '360', label: 'Last 6 hours' },
  { value: '1440', label: 'Last day' },
  { value: '10080', label: 'Last 7 days' },
  { value: '43200', label: 'Last 30 days' },
];

export function TimesPanel() {
  const [work, setWork] = useState<Work>('reviews');
  const [minutes, setMinutes] = useState('60');
  const query = useQuery(timesQuery(work, minutes));
  return (
    <Panel
      title="Waiting and work"
      actions={
        <Group gap="xs">
          <Choice aria-label="Work" size="xs" data={WORKS} value={work} onPick={setWork} />
          <Choice
            aria-label="Period for waiting and work"
            size="xs"
            data={STRETCHES}
            value={minutes}
            onPick={setMinutes}
          />
        </Group>
      }
    >
      <Loaded query={query}>{(times) => <TimesOf times={times} work={work} />}</Loaded>
    </Panel>
  );
}

function TimesOf({ times, work }: { times: Times; work: Work }) {
  const { waiting, work: took, items, forecast } = times;
  const facts: [string, string][] = [
    ['Forecast', forecastText(forecast)],
    ['Slots in use, last 10 minutes', shareText(forecast.utilisation)],
    ['Waiting: p50 · p95 · p99', quantilesText(waiting)],
    ['Work: p50 · p95 · p99', quantilesText(took)],
    ['Throughput', `${plural(took.count, work === 'reviews' ? 'attempt' : 'request')} ended`],
  ];
  return (
    <Stack gap="sm">
      <Facts facts={facts} />
      {took.count + waiting.count === 0 ? (
        <Empty title="Nothing was measured">No {work} started or ended in this time.</Empty>
      ) : (
        <>
          <Chart
            label={`Waiting and work of ${work}, 95th percentile`}
            summary={`Of 100 ${work}, 95 waited and took no longer than this; ${durationText(times.step_minutes * 60)} a bar.`}
            unit="seconds"
            {...byTime(items)}
            series={[
              { id: 'waiting', name: 'waiting', values: items.map((item) => item.waiting_p95_secs ?? 0) },
              { id: 'work', name: 'work', values: items.map((item) => item.work_p95_secs ?? 0) },
            ]}
          />
          <Histogram times={times} work={work} />
        </>
      )}
      <Marks marks={times.marks} />
    </Stack>
  );
}

function Histogram({ times: { waiting, work: took }, work }: { times: Times; work: Work }) {
  const places = waiting.histogram.map(({ up_to_secs: upTo }, place) => {
    const over = waiting.histogram[place - 1]?.up_to_secs ?? 0;
    const label = upTo === null ? `over ${secondsText(over)}` : `up to ${secondsText(upTo)}`;
    return { tick: label, label };
  });
  return (
    <Chart
      label={`How long ${work} waited and took`}
      summary={`${formatNumber(waiting.count)} waits, ${formatNumber(took.count)} pieces of work, by how long each lasted.`}
      unit="times"
      axis="Duration"
      places={places}
      series={[
        { id: 'waiting', name: 'waiting', values: waiting.histogram.map(({ count }) => count) },
        { id: 'work', name: 'work', values: took.histogram.map(({ count }) => count) },
      ]}
    />
  );
}

const MAX_MARKS = 10;

function Marks({ marks }: { marks: Times['marks'] }) {
  if (marks.length === 0) return null;
  return (
    <div>
      <div className="gr-dimmed">
        {plural(marks.length, 'worker start')} in this time{marks.length > MAX_MARKS ? '; the latest' : ''}
      </div>
      <ul>
        {marks.slice(-MAX_MARKS).map(({ at, worker, release, new_release }) => (
          <li key={`${at} ${worker}`}>
            <Time at={at} /> <span className="gr-mono">{worker}</span>
            {new_release ? ', new release ' : ', release '}
            {release}
          </li>
        ))}
      </ul>
    </div>
  );
}

function quantilesText({ count, p50_secs, p95_secs, p99_secs }: Times['waiting']): string {
  if (count === 0) return 'none';
  return [p50_secs, p95_secs, p99_secs].map((secs) => secondsText(secs ?? 0)).join(' · ');
}

const byTime = (items: readonly { from: string }[]) => ({
  axis: instantsAxis(),
  places: items.map(({ from }) => instantPlace(Date.parse(from))),
});

type Flow = Schema['ThroughputResponse'];

export function FlowPanel({ minutes }: { minutes: string }) {
  const query = useQuery(flowQuery(minutes));
  return (
    <Panel title="Reviews over time">
      <Loaded query={query}>
        {(flow) => (
          <Chart
            lines
            label="Reviews over time"
            summary={summaryOf(flow)}
            unit="reviews"
            {...byTime(flow.items)}
            series={toSeries(flow)}
          />
        )}
      </Loaded>
    </Panel>
  );
}

export function StartPanel(props: { minutes: string; onMinutes: (minutes: string) => void }) {
  const { minutes, onMinutes } = props;
  const query = useQuery(timesQuery('reviews', minutes));
  return (
    <Panel
      title="Seconds until a review starts"
      actions={
        <Choice
          aria-label="Period"
          size="xs"
          data={STRETCHES.slice(0, 3)}
          value={minutes}
          onPick={onMinutes}
        />
      }
    >
      <Loaded query={query}>
        {({ items, waiting }) => (
          <Chart
            lines
            label="Until a review starts"
            summary={startedText(waiting)}
            unit="seconds"
            {...byTime(items)}
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
  const values = (read: (item: Flow['items'][number]) => number) => items.map(read);
  return [
    {
      id: 'finished',
      name: 'finished',
      tone: 'good',
      values: values(finishedOf),
    },
    { id: 'requested', name: 'requested', values: values(({ requested }) => requested) },
    { id: 'failed', name: 'failed', tone: 'bad', values: values(({ failed, stalled }) => failed + stalled) },
  ];
}

const finishedOf = ({ completed, rejected }: Flow['items'][number]) => completed + rejected;

function summaryOf({ items, step_minutes }: Flow): string {
  const sum = (read: (item: Flow['items'][number]) => number) => sumOf(items.map(read));
  const requested = sum((item) => item.requested);
  const failed = sum((item) => item.failed);
  return [
    `${plural(requested, 'review')} requested`,
    `${formatNumber(sum(finishedOf))} finished`,
    `${plural(failed, 'attempt')} failed and tried again`,
    `${formatNumber(sum(({ stalled }) => stalled))} failed after the last attempt; ${plural(step_minutes, 'minute')} a point`,
  ].join(', ');
}
