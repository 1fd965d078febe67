import { Choice } from '../components/choice';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read, type Schema, refresh } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import type { ListSearch } from '../components/list-filters';
import { asQuery } from '../components/list-search';
import { Loaded } from '../components/page';
import { formatNumber, plural } from '../components/number';
import { ProgressLine } from '../components/meter';
import { UNDO_CHOICES } from '../components/undo-banner';
import { useDryRun } from '../components/use-dry-run';
import { toNumber, useFields, useRefusal } from '../components/use-fields';
import { useMe } from '../api/me';
import {
  BulkEditFields,
  BULK_FIELDS,
  BULK_TEXTS,
  describeSkipped,
  toEdit,
  type BulkAction,
} from './bulk-edit';

export type BulkResult = Schema['BulkOutcomeResponse'] & Schema['BulkEditBody'];

/** Changes many keys: shows first how many it would change, which the reader has to type; then how far it is. */
export function BulkChangeDialog(props: {
  action: BulkAction;
  filters: ListSearch;
  /** The filters in words. */
  what: string;
  onDone: (result: BulkResult) => void;
  onClose: () => void;
}) {
  const { action, filters, what, onDone, onClose } = props;
  const fields = useFields(BULK_FIELDS);
  const [undoAfter, setUndoAfter] = useState('');
  const [isRunning, setRunning] = useState(false);
  const { problem, keep } = useRefusal();
  const query = asQuery(filters);
  const edit = toEdit(action, fields.values);
  const tried = edit.tag === '' ? null : edit;
  const [plan, isCurrent] = useDryRun(['bulk-plan', filters], tried, (body) =>
    api.POST('/admin/bulk-key-changes/dry-run', query, body),
  );
  const { changes = 0, confirm = '' } = (isCurrent && plan.data) || {};
  const make = async (reason: string) => {
    setRunning(true);
    const body = { ...edit, reason, confirm, undo_after_minutes: toNumber(undoAfter) };
    try {
      const done = await api.POST('/admin/bulk-key-changes', query, body);
      onDone({ ...done, ...edit });
    } catch (error) {
      keep(error);
    } finally {
      setRunning(false);
      void plan.refetch();
    }
    await refresh(['bulk-key-changes'], ['api-keys']);
  };
  const text = BULK_TEXTS[action];
  return (
    <ActionDialog
      title={text.title}
      of={what}
      consequence={
        <Loaded query={plan} lines={1}>
          {({ changes, left_alone }) => (
            <>
              <strong>{plural(changes, 'key')}</strong> of {what}. {text.consequence} The whole change can be
              undone.
              {left_alone.length > 0 && (
                <div>Left alone: {left_alone.map((each) => describeSkipped(action, each)).join(', ')}.</div>
              )}
            </>
          )}
        </Loaded>
      }
      action={text.confirm}
      danger={text.danger}
      typed={changes > 0 ? confirm : undefined}
      disabled={changes === 0}
      fields={Object.keys(BULK_FIELDS)}
      onConfirm={make}
      onClose={onClose}
    >
      <BulkEditFields action={action} fields={fields} problem={problem ?? plan.error} />
      <Choice label="Undo automatically" value={undoAfter} onPick={setUndoAfter} data={UNDO_CHOICES} />
      {isRunning && <RunningChange />}
    </ActionDialog>
  );
}

/** How far the reader's own change is, as the server counts it. */
function RunningChange() {
  const me = useMe();
  const changes = useQuery({
    ...read(['bulk-key-changes'], '/admin/bulk-key-changes'),
    refetchInterval: 500,
  });
  const running = changes.data?.items.find(
    ({ changed_by, finished_at }) => changed_by === me.email && finished_at === null,
  );
  return running ? <ChangeProgress change={running} /> : null;
}

export function ChangeProgress({ change: { changed, total } }: { change: Schema['BulkChangeResponse'] }) {
  return (
    <ProgressLine done={changed} total={total} label="Keys changed so far">
      {`${formatNumber(changed)} of ${plural(total, 'key')} done`}
    </ProgressLine>
  );
}
