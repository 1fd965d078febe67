import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../api/client';
import { Facts } from '../components/facts';
import { Notice } from '../components/notice';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import { Sparkline } from '../components/sparkline';
import { StatusBadge } from '../components/status-badge';
import { useMay } from '../session/me';
import { durationText } from './duration';
import { PauseDialog } from './pause-dialog';
import { timesQuery } from './queue-queries';
import { courseText, shareText } from './times-text';

type Queue = Schema['QueueResponse'];

const EVERY_MS = 30_000;

/** The queues whose times are recorded, by a job of theirs. */
const TIMED = [
  { job: 'review-voice', work: 'reviews' },
  { job: 'deliver-webhook', work: 'webhooks' },
] as const;

/** Every queue: what waits in it, since when, and whether it is paused. */
export function QueuesPanels({ queues }: { queues: Queue[] }) {
  const [changing, setChanging] = useState<string | null>(null);
  const queue = queues.find(({ name }) => name === changing);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {queues.map((each) => (
        <QueuePanel key={each.name} queue={each} onChange={() => setChanging(each.name)} />
      ))}
      {queue && <PauseDialog queue={queue} onClose={() => setChanging(null)} />}
    </SimpleGrid>
  );
}

function QueuePanel({ queue, onChange }: { queue: Queue; onChange: () => void }) {
  const may = useMay();
  const { name, paused, reachable, error, counts, oldest_waiting_secs: oldest } = queue;
  const work = TIMED.find(({ job }) => queue.jobs.includes(job))?.work;
  return (
    <Panel
      title={
        <Group gap="xs" component="span">
          {name} <QueueBadge queue={queue} />
        </Group>
      }
      actions={
        may('queues.pause') &&
        reachable && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={onChange}
            aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
          >
            {paused ? 'Resume…' : 'Pause…'}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {!reachable && (
          <Notice tone="bad" title="The queue does not respond.">
            {error} Jobs are kept until it does.
          </Notice>
        )}
        {counts && (
          <Facts
            facts={[
              ['Waiting', formatNumber(counts.waiting)],
              ['Low priority', formatNumber(counts.low_priority)],
              ['Oldest waits for', oldest === null ? 'nothing waits' : durationText(oldest)],
              ['Running', formatNumber(counts.active)],
              ['Scheduled', formatNumber(counts.delayed)],
              [
                'Failed jobs kept',
                <>
                  {formatNumber(counts.failed)}
                  {counts.failed > 0 && (
                    <span className="gr-dimmed">
                      {' '}
                      for inspection, including jobs that have been retried
                      {queue.jobs.includes('review-voice') && (
                        <>
                          ; what waits for you is under <Link to="/dead-letters">Dead letters</Link>
                        </>
                      )}
                    </span>
                  )}
                </>,
              ],
              ['Jobs', queue.jobs.join(', ')],
            ]}
          />
        )}
        {work && <LastHour work={work} />}
      </Stack>
    </Panel>
  );
}

/** How busy the workers are with a queue, and what ended in the last hour: from the recorded times, on every backend. */
function LastHour({ work }: { work: 'reviews' | 'webhooks' }) {
  const { data } = useQuery({ ...timesQuery(work, '60'), refetchInterval: EVERY_MS });
  if (!data) return null;
  const ended = data.items.map((item) => item.ended);
  const course = courseText(ended);
  return (
    <div>
      <Facts
        facts={[
          ['Slots in use, last 10 minutes', shareText(data.forecast.utilisation)],
          ['Ended in the last hour', course],
        ]}
      />
      <Sparkline values={ended} label={`Ended in the last hour, a minute each: ${course}`} />
    </div>
  );
}

function QueueBadge({ queue: { paused, reachable } }: { queue: Queue }) {
  if (!reachable) return <StatusBadge tone="bad">not reachable</StatusBadge>;
  return paused ? (
    <StatusBadge tone="warn">paused</StatusBadge>
  ) : (
    <StatusBadge tone="good">running</StatusBadge>
  );
}
