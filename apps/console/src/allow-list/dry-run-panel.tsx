import { Box, Button, Group } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../api/client';
import { Answer, Empty, Loaded, Panel } from '../components/page';
import { Banner, ProblemBanner } from '../components/banner';
import { DaysChoice } from '../components/fields';
import { formatNumber, plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/inline';
import { isInside } from './address-map';
import { AddressMaps } from './address-maps';
import { addEntry, mergeEntries } from './draft-text';
import { listCalls } from './list-calls';
import type { Draft } from './use-draft';

type Outcome = Schema['DryRunResponse'];

const SHOWN = 20;

/**
 * What the draft would have done to the requests of the last days, on the map of the addresses they came from. One of those is
 * added to the draft with one click, or the server suggests a list for all of them.
 */
export function DryRunPanel({ draft }: { draft: Draft }) {
  const [days, setDays] = useState(7);
  const { submitted, check, owner } = draft;
  const calls = listCalls(owner);
  const mistakes = new Set(check.data?.problems.map(({ index }) => index));
  const entries = submitted.entries && submitted.entries.filter((_, index) => !mistakes.has(index));
  const isRead = check.data !== undefined && !check.isPlaceholderData;
  const isRunnable = entries === null || (isRead && entries.length > 0 && !mistakes.has(null));
  const query = useQuery({
    queryKey: ['dry-run', owner.id, days, entries],
    queryFn: () => calls.dryRun({ entries, days }),
    enabled: isRunnable,
    placeholderData: keepPreviousData,
  });
  const observed = useQuery({
    queryKey: ['observed-addresses', owner.id, days],
    queryFn: () => calls.observed(days),
  });
  return (
    <>
      <Panel title="Dry run" actions={<DaysChoice days={days} choices={[1, 7, 30]} onPick={setDays} />}>
        {isRead && !isRunnable ? (
          <Empty title="Not yet">The list needs an entry without a mistake, and not too many.</Empty>
        ) : (
          <Loaded query={query}>
            {(dryRun) => (
              <>
                <Outcomes dryRun={dryRun} />
                {mistakes.size > 0 && (
                  <div className="gr-dimmed">
                    Without {plural(mistakes.size, 'entry', 'entries')} with a mistake.
                  </div>
                )}
              </>
            )}
          </Loaded>
        )}
      </Panel>
      <Loaded query={observed}>
        {(uses) => <Origins draft={draft} observed={uses} dryRun={isRunnable ? query.data : undefined} />}
      </Loaded>
    </>
  );
}

function Outcomes({ dryRun: { requests, would_refuse, would_let_in, undecided } }: { dryRun: Outcome }) {
  if (requests + would_let_in === 0)
    return (
      <Answer sentence="Nothing to check.">
        The key sent no requests in this time, so the dry run has nothing to check.
      </Answer>
    );
  return (
    <>
      <Answer
        sentence={
          would_refuse > 0
            ? `${formatNumber(would_refuse)} of ${plural(requests, 'request')} would have been refused.`
            : `All ${plural(requests, 'request')} would have been let in.`
        }
      >
        {would_let_in > 0 && `${plural(would_let_in, 'request')} that were refused would have been let in. `}
        {undecided > 0 &&
          `${plural(undecided, 'request')} came from addresses that are not counted one by one: their outcome is unknown.`}
      </Answer>
      <ShareBar letIn={requests - would_refuse} refused={would_refuse} />
    </>
  );
}

function Origins({
  draft,
  observed: { addresses, total, days },
  dryRun,
}: {
  draft: Draft;
  observed: Schema['ObservedAddressesResponse'];
  dryRun: Outcome | undefined;
}) {
  const refused = new Set(dryRun?.would_refuse_addresses.map(({ address }) => address));
  const letIn = new Set(dryRun?.would_let_in_addresses.map(({ address }) => address));
  const known = new Map(
    [...(dryRun?.would_let_in_addresses ?? []), ...(dryRun?.would_refuse_addresses ?? []), ...addresses].map(
      (use) => [use.address, use],
    ),
  );
  const uses = [...known.values()]
    .map((use) => ({ ...use, refused: refused.has(use.address) }))
    .sort((one, other) => Number(other.refused) - Number(one.refused) || other.requests - one.requests);
  const most = Math.max(1, ...uses.map(({ requests }) => requests));
  const cidrs = draft.check.data?.entries.map(({ cidr }) => cidr) ?? [];
  const listed = new Set(draft.entries?.map(({ address }) => address));
  const isAddable = (address: string) =>
    /^[0-9a-f.:]+$/i.test(address) && !listed.has(address) && !isInside(address, cidrs);
  return (
    <Panel
      title="Where it comes from"
      note="tinted: on the list, dot: traffic"
      actions={<Suggest draft={draft} days={days} />}
    >
      <AddressMaps cidrs={cidrs} uses={uses} />
      <SimpleTable
        name="Addresses"
        empty={['Not used in this time']}
        rows={total === 0 ? [] : uses.slice(0, SHOWN)}
        rowId={({ address }) => address}
        columns={[
          { header: 'Address', className: 'gr-mono', cell: ({ address }) => address },
          {
            header: 'Requests',
            number: true,
            cell: ({ requests, refused: isRefused }) => (
              <div className="gr-amount" data-tone={isRefused ? 'bad' : 'good'}>
                <i style={{ width: `${(requests / most) * 100}%` }} />
                {formatNumber(requests)}
              </div>
            ),
          },
          {
            header: 'By the draft',
            cell: ({ address, refused: isRefused }) =>
              isRefused ? <b className="gr-late">refused</b> : letIn.has(address) ? 'now let in' : '',
          },
          {
            header: 'Last',
            number: true,
            wide: 'desk',
            cell: ({ last_seen }) => <Time at={last_seen} relative />,
          },
          {
            header: '',
            cell: ({ address }) =>
              isAddable(address) && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Add ${address}`}
                  onClick={() => draft.setText(addEntry(draft.text, address, null))}
                >
                  Add
                </Button>
              ),
          },
        ]}
      />
      {total > SHOWN && <div className="gr-dimmed">And {formatNumber(total - SHOWN)} more.</div>}
    </Panel>
  );
}

/** Puts what the server suggests for the observed addresses into the draft, and takes it out again. */
function Suggest({ draft, days }: { draft: Draft; days: number }) {
  const [merged, setMerged] = useState<{ before: string; after: string; added: number } | null>(null);
  const suggest = useMutation({
    mutationFn: () => listCalls(draft.owner).suggest({ days }),
    onSuccess: ({ text }) => {
      const next = mergeEntries(draft.text, text);
      setMerged({ before: draft.text, after: next.text, added: next.added });
      draft.setText(next.text);
    },
  });
  return (
    <>
      <ProblemBanner error={suggest.error} />
      {merged && merged.after === draft.text && (
        <Banner tone="info">
          <Group gap="xs">
            {merged.added === 0
              ? 'Everything that would be suggested is in the draft.'
              : `${plural(merged.added, 'suggested entry was', 'suggested entries were')} added.`}
            {merged.added > 0 && (
              <Button size="compact-xs" variant="default" onClick={() => draft.setText(merged.before)}>
                Take it back
              </Button>
            )}
          </Group>
        </Banner>
      )}
      <Button size="xs" variant="default" loading={suggest.isPending} onClick={() => suggest.mutate()}>
        Suggest a list
      </Button>
    </>
  );
}

function ShareBar({ letIn, refused }: { letIn: number; refused: number }) {
  const text = `${formatNumber(letIn)} let in, ${formatNumber(refused)} refused`;
  return (
    <div>
      <Group
        role="img"
        aria-label={text}
        gap={2}
        wrap="nowrap"
        h={12}
        mt={6}
        bdrs={6}
        style={{ overflow: 'hidden' }}
      >
        <Box flex={letIn} h="100%" bg="var(--d1)" />
        <Box flex={refused} h="100%" bg="var(--bad-mark)" />
      </Group>
      <div className="gr-dimmed" aria-hidden>
        {text}
      </div>
    </div>
  );
}
