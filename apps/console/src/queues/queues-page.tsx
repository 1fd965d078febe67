import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../api/client';
import { AccountName } from '../components/account-name';
import { Facts } from '../components/facts';
import { Folded } from '../components/folded';
import { Loaded } from '../components/loading';
import { Banner } from '../components/banner';
import { formatNumber, plural, humanize } from '../components/number';
import { PageHeader } from '../components/page';
import { ProblemBanner } from '../components/problem-banner';
import { useMay } from '../api/me';
import { AccountsPanel } from './accounts-panel';
import { ChangedLettersBanner, type ChangedLetters } from './dead-letter-dialogs';
import { durationText } from '@app/domain/common/duration-text';
import { DeadLettersPanel } from './failure-causes';
import { FlowPanel } from './flow-panel';
import { overviewQuery, workersQuery } from './queue-queries';
import { QueuesPanel } from './queues-panel';
import { TimesPanel } from './times-panel';
import { useLiveQueues } from './use-live-queues';
import { verdictsOf } from '@app/domain/reviews/queue-verdict';
import { WorkersPanel } from './workers-panel';

type Overview = Schema['OverviewResponse'];

const LIVE = 'Updates live.';
const NOT_LIVE = 'Live updates are down: refreshed every 5 seconds.';

/** What waits, what runs and what is stuck: in a sentence, then in a table. Updates itself. */
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
      {query.isError && query.data && <ProblemBanner error={query.error} />}
      <Loaded query={query}>
        {(overview) => (
          <>
            <Verdicts overview={overview} />
            {changed && <ChangedLettersBanner changed={changed} />}
            <QueuesPanel overview={overview} />
            {overview.dead_letters > 0 && (
              <DeadLettersPanel count={overview.dead_letters} onDone={setChanged} />
            )}
          </>
        )}
      </Loaded>
      <WorkersPanel />
      <AccountsPanel />
      <Folded summary="Reviews over time, waiting and work">
        <FlowPanel minutes={minutes} onMinutes={setMinutes} />
        <TimesPanel />
        {query.data && <FlowFacts overview={query.data} />}
      </Folded>
    </Stack>
  );
}

function Verdicts({ overview }: { overview: Overview }) {
  const workers = useQuery(workersQuery);
  if (!workers.data) return null;
  return verdictsOf(overview, workers.data.items).map(({ tone, text, detail, accounts = [] }) => (
    <Banner key={text} tone={tone} title={text}>
      {detail}
      {accounts.map((account) => (
        <div key={account.id}>
          <AccountName account={account} />
        </div>
      ))}
    </Banner>
  ));
}

/** Where what was requested is on its way. */
function FlowFacts({ overview: { relay, reviews } }: { overview: Overview }) {
  const orNothing = (count: number, text: string) => (count === 0 ? 'nothing' : text);
  return (
    <Facts
      facts={[
        ['Not in a queue yet', orNothing(relay.messages, plural(relay.messages, 'job'))],
        [
          'Waiting for their turn',
          orNothing(
            relay.waiting_turn,
            `${plural(relay.waiting_turn, 'review')} of accounts that have others in the queue, or that staff hold back`,
          ),
        ],
        [
          'Scheduled for later',
          orNothing(
            relay.scheduled,
            `${plural(relay.scheduled, 'job')}, such as the next attempt of a webhook`,
          ),
        ],
        ...reviews.map(({ status, reviews: count, oldest_secs }): [string, string] => [
          `Reviews: ${humanize(status)}`,
          count === 0 ? 'none' : `${formatNumber(count)}, the oldest for ${durationText(oldest_secs)}`,
        ]),
      ]}
    />
  );
}
