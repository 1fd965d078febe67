import { durationText } from '@app/domain/common/duration-text';
import { isRunning, SLOW_SECS } from '@app/domain/reviews/queue-verdict';
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Schema, api, assume, queryClient, refresh, useMay } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { Person, UserText, Time, StatusBadge, type Tone } from '../components/inline';
import { formatNumber, plural, humanize } from '../components/number';
import { Panel } from '../components/page';
import { SimpleTable } from '../components/simple-table';
import { Sparkline } from '../components/sparkline';
import { courseText, paceText } from '../components/times-text';
import { useRequestedAction } from '../components/use-requested-action';
import { timesQuery, workersQuery, overviewQuery } from './queue-queries';

type Queue = Schema['QueueResponse'];

/** The queues whose times are recorded, by a job of theirs. */
const TIMED = [
  { job: 'review-voice', work: 'reviews' },
  { job: 'deliver-webhook', work: 'webhooks' },
] as const;

const timedOf = ({ jobs }: Queue) => TIMED.find(({ job }) => jobs.includes(job));

const count = (value: number | undefined, none: string) =>
  value ? formatNumber(value) : <span className="gr-dimmed">{none}</span>;

function toneOf(queue: Queue, failing: number, noWorker: boolean): Tone {
  const oldest = queue.oldest_waiting_secs;
  if (!queue.reachable) return 'bad';
  if (queue.paused) return 'warn';
  if (failing > 0 || (oldest !== null && oldest >= SLOW_SECS)) return 'bad';
  if (Object.values(queue.counts ?? {}).every((each) => each === 0) && !timedOf(queue)) return 'calm';
  return noWorker ? 'bad' : 'good';
}

export function QueuesPanel({ overview }: { overview: Schema['OverviewResponse'] }) {
  const may = useMay();
  const [changing, setChanging] = useRequestedAction<string>();
  const { queues, dead_letters, failing_webhooks } = overview;
  const noWorker = useQuery(workersQuery).data?.items.some(isRunning) === false;
  const queue = queues.find(({ name }) => name === changing);
  const failing = (each: Queue) =>
    each.jobs.includes('deliver-webhook') ? failing_webhooks.endpoints : (each.counts?.failed ?? 0);
  return (
    <Panel title="Queues">
      <SimpleTable
        name="Queues"
        rows={queues}
        rowId={({ name }) => name}
        columns={[
          {
            header: 'Queue',
            cell: (each) => <QueueName queue={each} tone={toneOf(each, failing(each), noWorker)} />,
          },
          { header: 'Waiting', number: true, cell: ({ counts }) => formatNumber(counts?.waiting ?? 0) },
          { header: 'Running', number: true, cell: ({ counts }) => formatNumber(counts?.active ?? 0) },
          { header: 'Scheduled', number: true, cell: ({ counts }) => count(counts?.delayed, 'none') },
          { header: 'Oldest', number: true, cell: (each) => <Oldest secs={each.oldest_waiting_secs} /> },
          { header: 'Ended in the last hour', cell: (each) => <LastHour queue={each} /> },
          { header: 'Failing', number: true, cell: (each) => count(failing(each), '0') },
          {
            header: 'Dead',
            number: true,
            cell: (each) => each.jobs.includes('review-voice') && count(dead_letters, '0'),
          },
          may('queues.pause') && {
            header: '',
            cell: ({ name, paused, reachable }) =>
              reachable && (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => setChanging(name)}
                  aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
                >
                  {paused ? 'Resume…' : 'Pause…'}
                </Button>
              ),
          },
        ]}
      />
      {queue && <PauseDialog queue={queue} onClose={() => setChanging(null)} />}
    </Panel>
  );
}

function Oldest({ secs }: { secs: number | null }) {
  if (secs === null) return <span className="gr-dimmed">none</span>;
  return secs < SLOW_SECS ? durationText(secs) : <strong className="gr-late">{durationText(secs)}</strong>;
}

function QueueName({ queue: { name, paused, pause, reachable }, tone }: { queue: Queue; tone: Tone }) {
  return (
    <>
      <StatusBadge tone={tone}>
        <b>{name}</b> {paused && 'paused'} {!reachable && 'does not respond'}
      </StatusBadge>
      {pause !== null && (
        <div className="gr-dimmed gr-name">
          since <Time at={pause.since} relative /> by <Person by={pause.by} />:{' '}
          <UserText>{pause.reason}</UserText>
        </div>
      )}
    </>
  );
}

/** What ended in the last hour: from the recorded times, on every backend. */
function LastHour({ queue }: { queue: Queue }) {
  const work = timedOf(queue)?.work;
  const { data } = useQuery({ ...timesQuery(work ?? 'reviews', '60'), enabled: work !== undefined });
  if (!work || !data) return null;
  const ended = data.items.map((item) => item.ended);
  // The counts are live; the forecast is up to half a minute older.
  const drains = !queue.paused && queue.counts?.waiting ? data.forecast.drains_in_secs || null : null;
  return (
    <Group gap={10} wrap="nowrap">
      <Sparkline values={ended} label={`Ended in the last hour, a minute each: ${courseText(ended)}`} />{' '}
      <span className="gr-hint gr-dimmed">{paceText(ended, drains)}</span>
    </Group>
  );
}

function PauseDialog({ queue, onClose }: { queue: Schema['QueueResponse']; onClose: () => void }) {
  const { name, paused, counts } = queue;
  const change = async (reason: string) => {
    await (paused
      ? api.POST('/admin/queues/{queue}/resume', name, { reason })
      : api.POST('/admin/queues/{queue}/pause', name, { reason }));
    await refresh(overviewQuery.queryKey);
  };
  const waiting = counts?.waiting ?? 0;
  return (
    <ActionDialog
      title={paused ? 'Resume the queue' : 'Pause the queue'}
      of={humanize(name)}
      consequence={
        paused
          ? `Workers start again at once; ${plural(waiting, 'job waits', 'jobs wait')}.`
          : 'Running jobs finish; no other job starts until the queue is resumed. New jobs wait. Customers wait for their reviews.'
      }
      action={paused ? 'Resume' : 'Pause'}
      danger={!paused}
      assume={() => {
        const { queues } = queryClient.getQueryData(overviewQuery.queryKey)!;
        return assume<Schema['OverviewResponse']>(overviewQuery.queryKey, {
          queues: queues.map((each) => (each.name === name ? { ...each, paused: !paused } : each)),
        });
      }}
      onConfirm={change}
      onClose={onClose}
    />
  );
}
