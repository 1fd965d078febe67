import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Schema, queryClient, refresh, type FirstQueries, useMay } from '../api/client';
import { afterListing } from '../components/after-change';
import { Banner, HandOver, ReceiptBanner } from '../components/banner';
import { Name, Person, StatusBadge, type Tone, UserText, Time } from '../components/inline';
import { AccountTrail, KeyTrail } from '../components/breadcrumbs';
import { Loaded, Empty, PageHeader, Panel } from '../components/page';
import { plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { UndoNotice, type UndoAction } from '../components/undo-banner';
import { WaitingBanner } from '../approvals/waiting-banner';
import { AllowListEditor } from './allow-list-editor';
import { DryRunPanel } from './dry-run-panel';
import { allowListQuery, listCalls } from './list-calls';
import { PresetsPanel } from './presets-panel';
import { useDraft } from './use-draft';

type AllowList = Schema['AllowListResponse'];
type Changed = Schema['ChangedAllowListResponse'];

const ownerOf = ({ keyId, accountId = '' }: { keyId?: string; accountId?: string }) =>
  keyId === undefined ? ({ kind: 'account', id: accountId } as const) : ({ kind: 'key', id: keyId } as const);

export const firstQueries: FirstQueries = ({ params }) => [allowListQuery(ownerOf(params))];

/** The addresses from which a key may be used, or any key of an account beside its own list: reading, drafting, trying and saving them. */
export default function AllowListPage() {
  const owner = ownerOf(useParams({ strict: false }));
  const list = useQuery(allowListQuery(owner));
  const name = list.data?.owner.name ?? '';
  return (
    <Stack>
      <PageHeader
        title={
          <>
            IP allow-list of the {owner.kind} <Name>{name}</Name>
          </>
        }
        tabTitle={`${name} · IP allow-list`}
        above={owner.kind === 'key' ? <KeyTrail keyId={owner.id} /> : <AccountTrail accountId={owner.id} />}
        hint={list.data && <ListBadge list={list.data} />}
      />
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
          No new entries can be added: IP allow-lists are off for the account. Entries can still be removed.{' '}
          <Link to={`/accounts/${list.entitlement.account_id}/allow-lists`}>What switches them on</Link>
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
              <Time at={entry.added_at} never="" /> {entry.added_by && <Person by={entry.added_by} />}
            </>
          ),
        },
      ]}
    />
  );
}
