import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read, unwrap, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { Loaded } from '../components/loading';
import { Name } from '../components/name';
import { Notice } from '../components/notice';
import { plural } from '../components/number';
import { ReceiptNotice } from '../components/receipt-notice';
import { Time } from '../components/time';
import { UndoCountdown } from '../components/undo-countdown';
import { ChangeProgress } from './bulk-change-dialog';
import { describeChange } from './bulk-edit';

type Change = Schema['BulkChangeResponse'];
type LeftAlone = Schema['KeyLeftAloneResponse'];

/** How often a change that runs is read again. */
const RUNNING_MS = 1_000;
const QUERY_KEY = ['bulk-key-changes'];
const BECAUSE: Record<LeftAlone['because'], string> = {
  deleted: 'deleted since',
  enabled_since: 'enabled since',
  disabled_since: 'disabled since',
  changed_since: 'changed since',
  account_closed: 'its account is closed',
  managed_by_file: 'a file of keys manages it now',
  beyond_policy: 'its policy no longer allows the former expiry',
};

/** Bulk changes that run or can be undone: the one that was just made, and those whose undo timer runs. */
export function BulkChangesPanel({ madeId, mayWrite }: { madeId: string | null; mayWrite: boolean }) {
  const [undone, setUndone] = useState<Schema['UndoneBulkChangeResponse'] | null>(null);
  const query = useQuery({
    ...read(QUERY_KEY, '/admin/bulk-key-changes'),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ finished_at }) => finished_at === null) ? RUNNING_MS : false,
  });
  const open = (query.data?.items ?? []).filter(
    ({ id, due_at, undone_at, finished_at }) =>
      undone_at === null && (due_at !== null || finished_at === null || id === madeId),
  );
  return (
    <>
      {undone && (
        <>
          <ReceiptNotice receipt={undone.receipt}>
            {`The change is undone: ${plural(undone.restored, 'key')} as before.`}
          </ReceiptNotice>
          {undone.left_alone > 0 && (
            <Notice tone="warn">
              <LeftAloneList count={undone.left_alone} keys={undone.left_alone_keys} />
            </Notice>
          )}
        </>
      )}
      {open.map((change) => (
        <BulkChangeNotice key={change.id} change={change} mayWrite={mayWrite} onUndone={setUndone} />
      ))}
    </>
  );
}

function BulkChangeNotice({
  change,
  mayWrite,
  onUndone,
}: {
  change: Change;
  mayWrite: boolean;
  onUndone: (undone: Schema['UndoneBulkChangeResponse']) => void;
}) {
  const [action, setAction] = useState<'keep' | 'undo' | null>(null);
  return (
    <Notice tone={change.due_at ? 'warn' : 'calm'}>
      <bdi>{change.changed_by}</bdi> {describeChange(change, plural(change.changed, 'key'))}{' '}
      <Time at={change.changed_at} relative />.
      {change.finished_at === null && <ChangeProgress change={change} />}
      {change.due_at && <UndoCountdown at={change.due_at} queryKey={QUERY_KEY} />}
      {mayWrite && (
        <Group gap="xs" mt="xs">
          {change.due_at && (
            <Button size="compact-sm" onClick={() => setAction('keep')}>
              Keep the change…
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={() => setAction('undo')}>
            Undo it now…
          </Button>
        </Group>
      )}
      {action === 'undo' && (
        <UndoDialog change={change} onUndone={onUndone} onClose={() => setAction(null)} />
      )}
      {action === 'keep' && <KeepDialog change={change} onClose={() => setAction(null)} />}
    </Notice>
  );
}

function UndoDialog({
  change: { id },
  onUndone,
  onClose,
}: {
  change: Change;
  onUndone: (undone: Schema['UndoneBulkChangeResponse']) => void;
  onClose: () => void;
}) {
  const refresh = useRefresh();
  const path = { change_id: id };
  const plan = useQuery({
    ...read([...QUERY_KEY, id], '/admin/bulk-key-changes/{change_id}', { path }),
    staleTime: 0,
  });
  const undo = async (reason: string) => {
    const call = api.POST('/admin/bulk-key-changes/{change_id}/undo', { params: { path }, body: { reason } });
    onUndone(await unwrap(call));
    await refresh();
  };
  return (
    <ActionDialog
      title="Undo the change"
      consequence={
        <Loaded query={plan} lines={2}>
          {({ undo: { restored, left_alone, left_alone_keys } }) => (
            <>
              <strong>{plural(restored, 'key')}</strong> {restored === 1 ? 'is' : 'are'} as before the change
              at once, everywhere.
              {left_alone > 0 && <LeftAloneList count={left_alone} keys={left_alone_keys} />}
            </>
          )}
        </Loaded>
      }
      action="Undo it"
      onConfirm={undo}
      onClose={onClose}
    />
  );
}

function KeepDialog({ change: { id }, onClose }: { change: Change; onClose: () => void }) {
  const refresh = useRefresh();
  const keep = async (reason: string) => {
    const params = { path: { change_id: id } };
    await unwrap(api.POST('/admin/bulk-key-changes/{change_id}/keep', { params, body: { reason } }));
    await refresh();
  };
  return (
    <ActionDialog
      title="Keep the change"
      consequence="The keys stay as they are now; the timer is stopped."
      action="Keep it"
      onConfirm={keep}
      onClose={onClose}
    />
  );
}

function LeftAloneList({ count, keys }: { count: number; keys: LeftAlone[] }) {
  return (
    <>
      <div>
        {plural(count, 'key')} {count === 1 ? 'stays' : 'stay'} as {count === 1 ? 'it is' : 'they are'}:
      </div>
      <ul>
        {keys.map(({ id, name, because }) => (
          <li key={id}>
            {because === 'deleted' ? (
              <Name>{name}</Name>
            ) : (
              <Link to="/api-keys/$keyId" params={{ keyId: id }}>
                <Name>{name}</Name>
              </Link>
            )}
            : {BECAUSE[because]}
          </li>
        ))}
        {count > keys.length && <li>and {plural(count - keys.length, 'more key')}</li>}
      </ul>
    </>
  );
}

function useRefresh(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: QUERY_KEY }),
      queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
    ]);
}
