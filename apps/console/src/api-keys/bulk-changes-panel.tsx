import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read, type Schema, refresh } from '../api/client';
import { KeyName, Name } from '../components/inline';
import { Loaded } from '../components/page';
import { Banner, ReceiptBanner } from '../components/banner';
import { plural } from '../components/number';
import { UndoNotice, type UndoAction } from '../components/undo-banner';
import { BULK_TEXTS, ChangeProgress } from './bulk-change-dialog';
type Skipped = Schema['SkippedKeyResponse'];

const RUNNING_MS = 1_000;
const QUERY_KEY = ['bulk-key-changes'];
const BECAUSE: Record<Skipped['because'], string> = {
  deleted: 'deleted since',
  enabled_since: 'enabled since',
  disabled_since: 'disabled since',
  changed_since: 'changed since',
  account_closed: 'its account is closed',
  managed_by_file: 'a file of keys manages it now',
  beyond_policy: 'its policy no longer allows the former expiry',
};

export function BulkChangesPanel({ createdId, mayWrite }: { createdId: string | null; mayWrite: boolean }) {
  const [undone, setUndone] = useState<Schema['UndoneBulkChangeResponse'] | null>(null);
  const query = useQuery({
    ...read(QUERY_KEY, '/admin/bulk-key-changes'),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ finished_at }) => finished_at === null) ? RUNNING_MS : false,
  });
  const open = (query.data?.items ?? []).filter(
    ({ id, due_at, undone_at, finished_at }) =>
      undone_at === null && (due_at !== null || finished_at === null || id === createdId),
  );
  return (
    <>
      {undone && (
        <>
          <ReceiptBanner of={null} receipt={undone.receipt}>
            {`The change is undone: ${plural(undone.restored, 'key')} as before.`}
          </ReceiptBanner>
          {undone.left_alone > 0 && (
            <Banner tone="warn">
              <SkippedList count={undone.left_alone} keys={undone.left_alone_keys} />
            </Banner>
          )}
        </>
      )}
      {open.map((change) => (
        <BulkChangeBanner key={change.id} change={change} mayWrite={mayWrite} onUndone={setUndone} />
      ))}
    </>
  );
}

function BulkChangeBanner(props: {
  change: Schema['BulkChangeResponse'];
  mayWrite: boolean;
  onUndone: (undone: Schema['UndoneBulkChangeResponse']) => void;
}) {
  const { change, mayWrite, onUndone } = props;
  const decide = async (action: UndoAction, reason: string) => {
    if (action === 'keep') await api.POST('/admin/bulk-key-changes/{change_id}/keep', change.id, { reason });
    else onUndone(await api.POST('/admin/bulk-key-changes/{change_id}/undo', change.id, { reason }));
    await refresh(QUERY_KEY, ['api-keys']);
  };
  return (
    <UndoNotice
      change={change}
      what={BULK_TEXTS[change.action].did(plural(change.changed, 'key'), change.value)}
      of={plural(change.changed, 'key')}
      stays="The keys stay as they are now"
      undoes={<UndoPlan changeId={change.id} />}
      queryKey={QUERY_KEY}
      mayWrite={mayWrite}
      onDecide={decide}
    >
      {change.finished_at === null && <ChangeProgress change={change} />}
    </UndoNotice>
  );
}

function UndoPlan({ changeId }: { changeId: string }) {
  const plan = useQuery({
    ...read([...QUERY_KEY, changeId], '/admin/bulk-key-changes/{change_id}', changeId),
    staleTime: 0,
  });
  return (
    <Loaded query={plan} lines={2}>
      {({ undo: { restored, left_alone, left_alone_keys } }) => (
        <>
          <strong>{plural(restored, 'key')}</strong> {restored === 1 ? 'is' : 'are'} as before the change at
          once, everywhere.
          {left_alone > 0 && <SkippedList count={left_alone} keys={left_alone_keys} />}
        </>
      )}
    </Loaded>
  );
}

function SkippedList({ count, keys }: { count: number; keys: Skipped[] }) {
  return (
    <>
      <div>
        {plural(count, 'key')} {count === 1 ? 'stays' : 'stay'} as {count === 1 ? 'it is' : 'they are'}:
      </div>
      <ul>
        {keys.map(({ id, name, because }) => (
          <li key={id}>
            {because === 'deleted' ? <Name>{name}</Name> : <KeyName id={id} name={name} />}:{' '}
            {BECAUSE[because]}
          </li>
        ))}
        {count > keys.length && <li>and {plural(count - keys.length, 'more key')}</li>}
      </ul>
    </>
  );
}
