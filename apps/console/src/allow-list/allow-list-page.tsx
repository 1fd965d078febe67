import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { KeyTrail } from '../components/breadcrumbs';
import { Loaded } from '../components/loading';
import { Notice } from '../components/notice';
import { PageHeader, Panel } from '../components/page';
import { ReceiptNotice } from '../components/receipt-notice';
import { StatusBadge, type Tone } from '../components/status-badge';
import { useMay } from '../session/me';
import { AllowListEditor } from './allow-list-editor';
import { EntryTable } from './entry-table';
import { ObservedPanel } from './observed-panel';
import { DryRunPanel } from './dry-run-panel';
import { UndoPanel } from './undo-panel';
import { useDraft } from './use-draft';

type AllowList = Schema['AllowListResponse'];
type Changed = Schema['ChangedAllowListResponse'];

/** The addresses from which a key may be used: reading, drafting, trying and saving them. */
export function AllowListPage() {
  const { keyId = '' } = useParams({ strict: false });
  const list = useQuery({
    queryKey: ['allow-list', keyId],
    queryFn: () =>
      unwrap(api.GET('/admin/api-keys/{key_id}/allowed-ips', { params: { path: { key_id: keyId } } })),
  });
  return (
    <Stack>
      <PageHeader
        title="IP allow-list"
        above={<KeyTrail keyId={keyId} />}
        hint={list.data && <ListBadge list={list.data} />}
      />
      <Loaded query={list}>{(data) => <AllowListView key={keyId} list={data} />}</Loaded>
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
  const queryClient = useQueryClient();
  const [saved, setSaved] = useState<{ text: string; change: Changed } | null>(null);
  const { add }: { add?: string } = useSearch({ strict: false });
  const draft = useDraft(list, add);
  const done = (text: string) => (change: Changed) => {
    const { corrections: _c, warnings: _w, dry_run: _d, receipt: _receipt, ...stored } = change;
    queryClient.setQueryData(['allow-list', list.key_id], stored);
    void queryClient.invalidateQueries({ queryKey: ['api-key', list.key_id] });
    draft.startFrom(stored);
    setSaved({ text, change });
  };
  const mayWrite = may('keys.write');
  return (
    <Stack>
      {saved && <ReceiptNotice receipt={saved.change.receipt}>{saved.text}</ReceiptNotice>}
      {list.undo && <UndoPanel list={list} mayWrite={mayWrite} onDone={done} />}
      {!list.entitlement.may_add && (
        <Notice tone="calm">
          This account may have no new entries: IP allow-lists are{' '}
          {list.entitlement.enabled
            ? `not part of the tier ${list.entitlement.tier}`
            : 'not switched on for it'}
          . Entries can be removed all the same.
        </Notice>
      )}
      {mayWrite ? (
        <div className="gr-halves">
          <AllowListEditor list={list} draft={draft} onSaved={done('The allow-list has been saved.')} />
          <Stack>
            <DryRunPanel draft={draft} />
            <ObservedPanel keyId={list.key_id} draft={draft} />
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
