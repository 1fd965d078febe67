import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../api/client';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import { SimpleTable } from '../components/simple-table';
import { Sparkline } from '../components/sparkline';
import { StatusBadge } from '../components/status-badge';
import { useRequestedAction } from '../components/use-requested-action';
import { useMay } from '../api/me';
import { durationText } from '@app/domain/common/duration-text';
import { PauseDialog } from './pause-dialog';
import { timesQuery } from './queue-queries';
import { courseText, paceText } from '../components/times-text';

type Queue = Schema['QueueResponse'];

const EVERY_MS = 30_000;

/** The queues whose times are recorded, by a job of theirs. */
const TIMED = [
  { job: 'review-voice', work: 'reviews' },
  { job: 'deliver-webhook', work: 'webhooks' },
] as const;

const timedOf = ({ jobs }: Queue) => TIMED.find(({ job }) => jobs.includes(job));

/** Those that do nothing now and are of interest only when they do. */
const isIdle = (queue: Queue) =>
  !timedOf(queue) &&
  queue.reachable &&
  !queue.paused &&
  Object.values(queue.counts ?? {}).every((count) => count === 0);

const count = (value: number | undefined) => (value ? formatNumber(value) : '');

/** Every queue in a row: what waits in it, since when, and what fails. */
export function QueuesPanel({ overview }: { overview: Schema['OverviewResponse'] }) {
  const may = useMay();
  const [changing, setChanging] = useRequestedAction<string>();
  const { queues, dead_letters, failing_webhooks } = overview;
  const queue = queues.find(({ name }) => name === changing);
  const idle = queues.filter(isIdle).map(({ name }) => name);
  const failing = (each: Queue) =>
    each.jobs.includes('deliver-webhook') ? failing_webhooks.endpoints : each.counts?.failed;
  return (
    <Panel>
      <SimpleTable
        name="Queues"
        rows={queues.filter((each) => !isIdle(each))}
        rowId={({ name }) => name}
        columns={[
          { header: 'Queue', cell: (each) => <QueueName queue={each} /> },
          { header: 'Waiting', number: true, cell: ({ counts }) => formatNumber(counts?.waiting ?? 0) },
          { header: 'Running', number: true, cell: ({ counts }) => formatNumber(counts?.active ?? 0) },
          { header: 'Scheduled', number: true, cell: ({ counts }) => count(counts?.delayed) },
          { header: 'Oldest', cell: (each) => oldestText(each.oldest_waiting_secs) },
          { header: 'Ended in the last hour', cell: (each) => <LastHour queue={each} /> },
          { header: 'Failing', number: true, cell: (each) => count(failing(each)) },
          {
            header: 'Dead',
            number: true,
            cell: (each) => each.jobs.includes('review-voice') && count(dead_letters),
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
      {idle.length > 0 && <div className="gr-dimmed">Idle: {idle.join(', ')}.</div>}
      {queue && <PauseDialog queue={queue} onClose={() => setChanging(null)} />}
    </Panel>
  );
}

const oldestText = (secs: number | null) => (secs === null ? '' : durationText(secs));

function QueueName({ queue: { name, paused, reachable } }: { queue: Queue }) {
  return (
    <>
      {name} {paused && <StatusBadge tone="warn">paused</StatusBadge>}
      {!reachable && <StatusBadge tone="bad">does not respond</StatusBadge>}
    </>
  );
}

/** What ended in the last hour: from the recorded times, on every backend. */
function LastHour({ queue }: { queue: Queue }) {
  const work = timedOf(queue)?.work;
  const { data } = useQuery({
    ...timesQuery(work ?? 'reviews', '60'),
    refetchInterval: EVERY_MS,
    enabled: work !== undefined,
  });
  if (!work || !data) return null;
  const ended = data.items.map((item) => item.ended);
  return (
    <>
      <Sparkline values={ended} label={`Ended in the last hour, a minute each: ${courseText(ended)}`} />{' '}
      <span className="gr-dimmed">{paceText(ended, queue.paused === true, data.forecast)}</span>
    </>
  );
}
