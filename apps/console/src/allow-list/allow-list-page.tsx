import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { type Schema, queryClient, refresh } from '../api/client';
import type { FirstQueries } from '../api/first-queries';
import { useMay } from '../api/me';
import { afterListing } from '../components/after-change';
import { Banner, HandOver, StatusBadge, type Tone, ReceiptBanner } from '../components/banner';
import { AccountTrail, KeyTrail } from '../components/breadcrumbs';
import { Loaded, Empty, PageHeader, Panel } from '../components/page';
import { UserText } from '../components/name';
import { plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/time';
import { UndoNotice, type UndoAction } from '../components/undo-banner';
import { WaitingBanner } from '../approvals/waiting-banner';
import { AllowListEditor } from './allow-list-editor';
import { DryRunPanel } from './dry-run-panel';
import { listCalls, type ListOwner } from './list-calls';
import { PresetsPanel } from './presets-panel';
import { useDraft } from './use-draft';

type AllowList = Schema['AllowListResponse'];
type Changed = Schema['ChangedAllowListResponse'];

const allowListQuery = (owner: ListOwner) => ({
  queryKey: ['allow-list', owner.id],
  queryFn: listCalls(owner).get,
});

export const firstQueries: FirstQueries = ({ params: { keyId, accountId } }) => [
  allowListQuery(keyId !== undefined ? { kind: 'key', id: keyId } : { kind: 'account', id: accountId! }),
];

/** The addresses from which a key may be used: reading, drafting, trying and saving them. */
export function AllowListPage() {
  const { keyId = '' } = useParams({ strict: false });
  return (
    <ListScreen owner={{ kind: 'key', id: keyId }} title="IP allow-list" above={<KeyTrail keyId={keyId} />} />
  );
}

/** The addresses from which any key of an account may be used, beside the list of the key. */
export function AccountAllowListPage() {
  const { accountId = '' } = useParams({ strict: false });
  const owner = { kind: 'account', id: accountId } as const;
  return (
    <ListScreen
      owner={owner}
      title="IP allow-list of the account"
      above={<AccountTrail accountId={accountId} />}
    />
  );
}

function ListScreen({ owner, title, above }: { owner: ListOwner; title: string; above: ReactNode }) {
  const list = useQuery(allowListQuery(owner));
  return (
    <Stack>
      <PageHeader title={title} above={above} hint={list.data && <ListBadge list={list.data} />} />
      <Loaded query={list}>{(data) => <AllowListView key={owner.id} list={data} />}</Loaded>
    </Stack>
  );
}

const BADGES: Record<AllowList['status'], [Tone, string]> = {
  enforced: ['good', 'enforced'],
  no_list: ['calm', 'no list: every address is let in'],
  corrupt: ['bad', 'cannot be read: every address is refused'],
};

function ListBadge({ list }: { list: AllowList }) {
  const [tone, text] = BADGES[list.status];
  return <StatusBadge tone={tone}>{text}</StatusBadge>;
}

function AllowListView({ list }: { list: AllowList }) {
  const may = useMay();
  const [saved, setSaved] = useState<{ text: string; change: Changed } | null>(null);
  const { add }: { add?: string } = useSearch({ strict: false });
  const draft = useDraft(list, add);
  const done = (text: string, begin: (stored: AllowList) => void) => (change: Changed) => {
    const { corrections: _c, warnings: _w, dry_run: _d, receipt: _receipt, ...stored } = change;
    queryClient.setQueryData(['allow-list', list.owner.id], stored);
    void refresh([list.owner.kind === 'key' ? 'api-key' : 'account', list.owner.id]);
    begin(stored);
    setSaved({ text, change });
  };
  const mayWrite = may('keys.write');
  return (
    <Stack>
      {saved && (
        <ReceiptBanner
          of={list.owner.name}
          receipt={saved.change.receipt}
          {...afterListing(
            list.owner.kind === 'key' ? list.owner : null,
            list.entries && list.entries.map(({ cidr }) => cidr),
            saved.change.dry_run,
          )}
        >
          {saved.text}
        </ReceiptBanner>
      )}
      <WaitingBanner targetId={list.owner.id} />
      {list.undo && <UndoPanel list={list} mayWrite={mayWrite} onDone={(text) => done(text, draft.follow)} />}
      {list.owner.kind === 'account' && (
        <Banner tone="calm">
          It applies to every key of the account. A key that also has a list is let in only where both lists
          allow it.
        </Banner>
      )}
      {!list.entitlement.may_add && (
        <Banner tone="calm">
          No new entries can be added: IP allow-lists are{' '}
          {list.entitlement.enabled
            ? `not part of the tier ${list.entitlement.tier}`
            : 'not switched on for it'}
          . Entries can still be removed.
        </Banner>
      )}
      <HandOver permission="keys.write" to="change this list" />
      {mayWrite ? (
        <div className="gr-halves gr-wider">
          <AllowListEditor
            list={list}
            draft={draft}
            onSaved={done('The allow-list has been saved.', draft.startFrom)}
          />
          <Stack>
            <DryRunPanel draft={draft} />
            <PresetsPanel draft={draft} />
          </Stack>
        </div>
      ) : (
        <Panel title="Entries">
          <EntryTable entries={list.entries} />
        </Panel>
      )}
    </Stack>
  );
}

type Done = (text: string) => (change: Schema['ChangedAllowListResponse']) => void;

/** The last change, and how to undo it; while its timer runs, when it is reverted. */
function UndoPanel({ list, mayWrite, onDone }: { list: AllowList; mayWrite: boolean; onDone: Done }) {
  const { undo, owner } = list;
  if (!undo) return null;
  const former = undo.entries === null ? 'no list' : plural(undo.entries.length, 'entry', 'entries');
  const decide = async (action: UndoAction, reason: string) => {
    const change = await listCalls(owner)[action](list, { reason });
    onDone(action === 'keep' ? 'The change is kept.' : 'The previous list applies again.')(change);
  };
  return (
    <UndoNotice
      change={undo}
      what="changed the list"
      of={owner.name}
      stays="The list stays as it is now"
      undoes={`The previous list is restored: ${former}. It applies at once, everywhere.`}
      queryKey={['allow-list', owner.id]}
      mayWrite={mayWrite}
      onDecide={decide}
    >
      Previously: {former}.
    </UndoNotice>
  );
}

/** The entries of a stored list. */
function EntryTable({ entries }: { entries: Schema['EntryResponse'][] | null }) {
  if (entries === null) return <Empty title="No list">The key can be used from every address.</Empty>;
  return (
    <SimpleTable
      name="Entries of the allow-list"
      rows={entries}
      rowId={(entry) => entry.cidr}
      columns={[
        { header: 'Addresses', className: 'gr-mono', cell: (entry) => entry.cidr },
        { header: 'Note', cell: (entry) => entry.note !== null && <UserText>{entry.note}</UserText> },
        {
          header: 'Ends',
          cell: (entry) => (
            <>
              <Time at={entry.ends_at} />
              {entry.ended && ', has ended'}
            </>
          ),
        },
        {
          header: 'Added',
          cell: (entry) => (
            <>
              <Time at={entry.added_at} never="" /> <bdi>{entry.added_by}</bdi>
            </>
          ),
        },
      ]}
    />
  );
}
