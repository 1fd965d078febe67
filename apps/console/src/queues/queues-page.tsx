import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../api/client';
import { Facts } from '../components/facts';
import { Loaded } from '../components/loading';
import { Notice } from '../components/notice';
import { formatNumber, plural, words } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { ProblemNotice } from '../components/problem-notice';
import { useMay } from '../session/me';
import { AccountsPanel } from './accounts-panel';
import { ChangedLettersNotice, type ChangedLetters } from './dead-letter-dialogs';
import { durationText } from './duration';
import { DeadLettersPanel } from './failure-causes';
import { FlowPanel } from './flow-panel';
import { overviewQuery } from './queue-queries';
import { QueuesPanels } from './queues-panel';
import { TimesPanel } from './times-panel';
import { useLiveQueues } from './use-live-queues';
import { WorkersPanel } from './workers-panel';

type Overview = Schema['OverviewResponse'];

const LIVE = 'Updates live.';
const NOT_LIVE = 'Live updates are down: refreshed every 5 seconds.';

/** What waits, what runs and what is stuck. Updates itself. */
export function QueuesPage() {
  const may = useMay();
  const [minutes, setMinutes] = useState('60');
  const [changed, setChanged] = useState<ChangedLetters | null>(null);
  const isLive = useLiveQueues(minutes);
  const query = useQuery(overviewQuery);
  return (
    <Stack>
      <PageHeader
        title="Queues"
        hint={
          query.data
            ? `On ${query.data.backend === 'redis' ? 'Redis' : 'PostgreSQL'}. ${isLive ? LIVE : NOT_LIVE}`
            : undefined
        }
      >
        {may('queues.board') && (
          <Button component="a" href="/admin/queues/board/" variant="default">
            Individual jobs in Bull Board
          </Button>
        )}
      </PageHeader>
      {query.isError && query.data && <ProblemNotice error={query.error} />}
      <Loaded query={query}>
        {(overview) => (
          <>
            <Attention overview={overview} />
            {changed && <ChangedLettersNotice changed={changed} />}
            {overview.dead_letters > 0 && (
              <DeadLettersPanel count={overview.dead_letters} onDone={setChanged} />
            )}
            <QueuesPanels queues={overview.queues} />
          </>
        )}
      </Loaded>
      <FlowPanel minutes={minutes} onMinutes={setMinutes} />
      <TimesPanel />
      <AccountsPanel />
      <WorkersPanel />
      {query.data && <FlowFacts overview={query.data} />}
    </Stack>
  );
}

function Attention({ overview: { dead_letters, queues } }: { overview: Overview }) {
  const held = queues.filter(({ paused }) => paused).map(({ name }) => name);
  return (
    <>
      {held.length > 0 && <Notice tone="warn">Paused: {held.join(', ')}. No job starts there.</Notice>}
      {dead_letters > 0 && (
        <Notice tone="bad">
          <Link to="/dead-letters">{plural(dead_letters, 'review')} failed after the last attempt</Link>.
        </Notice>
      )}
    </>
  );
}

/** Jobs that were requested and are not in a queue yet. */
function FlowFacts({ overview: { relay, reviews } }: { overview: Overview }) {
  return (
    <Panel title="On the way">
      <Stack gap="sm">
        <Facts
          facts={[
            [
              'Not in a queue yet',
              relay.messages === 0
                ? 'nothing'
                : `${plural(relay.messages, 'job')}, the oldest for ${durationText(relay.oldest_secs)}`,
            ],
            [
              'Waiting for their turn',
              relay.waiting_turn === 0
                ? 'nothing'
                : `${plural(relay.waiting_turn, 'review')} of accounts that have others in the queue, or that staff hold back`,
            ],
            [
              'Scheduled for later',
              relay.scheduled === 0
                ? 'nothing'
                : `${plural(relay.scheduled, 'job')}, such as the next attempt of a webhook`,
            ],
            ...reviews.map(({ status, reviews: count, oldest_secs }): [string, string] => [
              `Reviews: ${words(status)}`,
              count === 0 ? 'none' : `${formatNumber(count)}, the oldest for ${durationText(oldest_secs)}`,
            ]),
          ]}
        />
        {relay.failing > 0 && (
          <Notice tone="warn" title={`${plural(relay.failing, 'job')} could not be handed to a queue yet.`}>
            {relay.last_error}
          </Notice>
        )}
      </Stack>
    </Panel>
  );
}
