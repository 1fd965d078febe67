import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Empty, Loaded } from '../components/loading';
import { Banner } from '../components/banner';
import { plural } from '../components/number';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/problem-banner';
import { AddressTable } from './address-table';
import { addEntry, mergeEntries } from './draft-text';
import { listCalls, type ListOwner } from './list-calls';
import type { Draft } from './use-draft';

const DAYS = 7;

/** The draft before and after a suggestion was added to it. */
interface Merged {
  before: string;
  after: string;
  added: number;
}

/**
 * Where the key, or any key of the account, was used from; an address is added to the draft with one click, or the server
 * suggests a list for all of them.
 */
export function ObservedPanel({ owner, draft }: { owner: ListOwner; draft: Draft }) {
  const calls = listCalls(owner);
  const query = useQuery({
    queryKey: ['observed-addresses', owner.id, DAYS],
    queryFn: () => calls.observed(DAYS),
  });
  const suggest = useMutation({
    mutationFn: () => calls.suggest({ days: DAYS }),
    onSuccess: ({ text }) => {
      const next = mergeEntries(draft.text, text);
      setMerged({ before: draft.text, after: next.text, added: next.added });
      draft.setText(next.text);
    },
  });
  const [merged, setMerged] = useState<Merged | null>(null);
  const listed = new Set(draft.entries?.map(({ address }) => address));
  const add = (address: string) =>
    /^[0-9a-f.:]+$/i.test(address) &&
    !listed.has(address) && (
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Add ${address}`}
        onClick={() => draft.setText(addEntry(draft.text, address, null))}
      >
        Add
      </Button>
    );
  return (
    <Panel
      title="Used from, in the last 7 days"
      actions={
        <Button size="xs" variant="default" loading={suggest.isPending} onClick={() => suggest.mutate()}>
          Suggest a list
        </Button>
      }
    >
      <ProblemBanner error={suggest.error} />
      {merged && merged.after === draft.text && (
        <Banner tone="info">
          {merged.added === 0
            ? 'Everything that would be suggested is in the draft.'
            : `${plural(merged.added, 'suggested entry was', 'suggested entries were')} added.`}{' '}
          {merged.added > 0 && (
            <Button size="compact-xs" variant="default" onClick={() => draft.setText(merged.before)}>
              Take it back
            </Button>
          )}
        </Banner>
      )}
      <Loaded query={query}>
        {({ addresses, total }) =>
          total === 0 ? (
            <Empty title="Not used in this time" />
          ) : (
            <AddressTable title="Address" addresses={addresses} total={total} action={add} />
          )
        }
      </Loaded>
    </Panel>
  );
}
