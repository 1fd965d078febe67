import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema, FirstQueries } from '../api/client';
import { AccountName, StatusBadge, WithPeople } from '../components/inline';
import { Answer, Loaded, PageHeader, Facts, Folded } from '../components/page';
import { formatNumber, plural, humanize } from '../components/number';
import { ProblemBanner } from '../components/banner';
import { AccountsPanel } from './accounts-panel';
import { ChangedLettersBanner, type ChangedLetters, DeadLettersPanel } from './dead-letters';
import { durationText } from '@app/domain/common/duration-text';
import { FlowPanel, StartPanel, TimesPanel } from './times-panel';
import { JobsPanel } from './jobs-panel';
import { overviewQuery, workersQuery } from './queue-queries';
import { QueuesPanel } from './queues-panel';
import { ReceiversPanel } from './receivers-panel';
import { useLiveQueues } from './use-live-queues';
import { verdictsOf, type Verdict } from '@app/domain/reviews/queue-verdict';
import { WorkersPanel } from './workers-panel';

type Overview = Schema['OverviewResponse'];

export const firstQueries: FirstQueries = () => [overviewQuery, workersQuery];

export default function QueuesPage() {
  const [minutes, setMinutes] = useState('60');
  const [changed, setChanged] = useState<ChangedLetters | null>(null);
  const isLive = useLiveQueues(minutes);
  const query = useQuery(overviewQuery);
  const letters = query.data?.dead_letters ?? 0;
  return (
    <Stack>
      <PageHeader title="Queues">
        {query.data && (
          <span className="gr-dimmed">
            On {query.data.backend === 'redis' ? 'Redis' : 'PostgreSQL'}.{' '}
            {isLive ? 'Updates live.' : 'Live updates are down: refreshed every 5 seconds.'}
          </span>
        )}
      </PageHeader>
      {query.isError && query.data && <ProblemBanner error={query.error} />}
      <Loaded query={query}>
        {(overview) => (
          <>
            <Verdicts overview={overview} />
            {changed && <ChangedLettersBanner changed={changed} />}
            <div className="gr-halves">
              <FlowPanel minutes={minutes} />
              <StartPanel minutes={minutes} onMinutes={setMinutes} />
            </div>
            <QueuesPanel overview={overview} />
            {overview.failing_webhooks.endpoints > 0 && <ReceiversPanel />}
          </>
        )}
      </Loaded>
      <WorkersPanel />
      {letters > 0 && <DeadLettersPanel count={letters} onDone={setChanged} />}
      <AccountsPanel />
      {query.data && (
        <Folded summary="Single jobs">
          <JobsPanel queues={query.data.queues.map(({ name }) => name)} />
        </Folded>
      )}
      <Folded summary="Waiting and work in detail">
        <TimesPanel />
        {query.data && <FlowFacts overview={query.data} />}
      </Folded>
    </Stack>
  );
}

function Verdicts({ overview }: { overview: Overview }) {
  const workers = useQuery(workersQuery);
  if (!workers.data) return null;
  const [worst, ...others] = verdictsOf(overview, workers.data.items);
  if (worst === undefined) return null;
  return (
    <Answer sentence={worst.text}>
      <Reason verdict={worst} />
      {others.map((verdict) => (
        <div key={verdict.text}>
          <StatusBadge tone={verdict.tone}>{verdict.text}</StatusBadge> <Reason verdict={verdict} />
        </div>
      ))}
    </Answer>
  );
}

function Reason({ verdict: { detail = '', accounts = [] } }: { verdict: Verdict }) {
  return (
    <>
      <WithPeople text={detail} />{' '}
      {accounts.map((account, turn) => (
        <span key={account.id}>
          {turn > 0 && ', '}
          <AccountName account={account} />
        </span>
      ))}
    </>
  );
}

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
