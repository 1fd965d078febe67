import { Stack } from '@mantine/core';
import { Choice } from '../components/choice';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../api/client';
import { Empty, Loaded } from '../components/loading';
import { Banner } from '../components/banner';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { AddressTable } from './address-table';
import { listCalls } from './list-calls';
import { ShareBar } from './share-bar';
import type { Draft } from './use-draft';

/** What the draft would have done to the requests of the last days. */
export function DryRunPanel({ draft }: { draft: Draft }) {
  const [days, setDays] = useState('7');
  const { submitted, check, owner } = draft;
  const mistakes = new Set(check.data?.problems.map(({ index }) => index));
  const entries = submitted.entries && submitted.entries.filter((_, index) => !mistakes.has(index));
  const isRead = check.data !== undefined && !check.isPlaceholderData;
  const isRunnable = entries === null || (isRead && entries.length > 0 && !mistakes.has(null));
  const query = useQuery({
    queryKey: ['dry-run', owner.id, days, entries],
    queryFn: () => listCalls(owner).dryRun({ entries, days: Number(days) }),
    enabled: isRunnable,
    placeholderData: keepPreviousData,
  });
  const select = (
    <Choice
      size="xs"
      aria-label="Days of the dry run"
      value={days}
      onPick={setDays}
      data={[
        { value: '1', label: 'last 24 hours' },
        { value: '7', label: 'last 7 days' },
        { value: '30', label: 'last 30 days' },
      ]}
    />
  );
  return (
    <Panel title="Dry run" actions={select}>
      {isRead && !isRunnable ? (
        <Empty title="Not yet">The list needs an entry without a mistake, and not too many.</Empty>
      ) : (
        <Loaded query={query}>
          {(dryRun) => (
            <>
              {mistakes.size > 0 && (
                <div className="gr-dimmed">
                  Without {plural(mistakes.size, 'entry', 'entries')} with a mistake.
                </div>
              )}
              <DryRun dryRun={dryRun} />
            </>
          )}
        </Loaded>
      )}
    </Panel>
  );
}

function DryRun({ dryRun }: { dryRun: Schema['DryRunResponse'] }) {
  const { requests, would_refuse, would_let_in, undecided } = dryRun;
  const hurts = would_refuse > 0;
  return (
    <Stack gap="sm">
      {requests === 0 ? (
        <Banner tone="calm">
          The key sent no requests in this time, so the dry run has nothing to check.
        </Banner>
      ) : (
        <>
          <ShareBar good={requests - would_refuse} bad={would_refuse} goodWords="let in" badWords="refused" />
          <Banner tone={hurts ? 'bad' : 'good'}>
            {hurts
              ? `${formatNumber(would_refuse)} of ${plural(requests, 'request')} would have been refused.`
              : `All ${plural(requests, 'request')} would have been let in.`}
          </Banner>
        </>
      )}
      {hurts && <AddressTable title="Would have been refused" addresses={dryRun.would_refuse_addresses} />}
      {would_let_in > 0 && (
        <>
          <Banner tone="info">
            {plural(would_let_in, 'request')} that were refused would have been let in.
          </Banner>
          <AddressTable title="Would have been let in" addresses={dryRun.would_let_in_addresses} />
        </>
      )}
      {undecided > 0 && (
        <div className="gr-dimmed">
          {plural(undecided, 'request')} came from addresses that are not counted one by one: their outcome is
          unknown.
        </div>
      )}
    </Stack>
  );
}
