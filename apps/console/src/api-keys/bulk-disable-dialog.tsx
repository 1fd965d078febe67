import { DISABLE_REASONS, type DisableReason } from '@app/domain/keys/disable-reasons';
import { NativeSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import type { ListSearch } from '../components/list-filters';
import { asQuery } from '../components/list-search';
import { Loaded } from '../components/loading';
import { plural, words } from '../components/number';
import { UNDO_CHOICES } from '../components/undo-countdown';

export interface BulkResult {
  disabled: number;
  change_id: string | null;
  receipt: Schema['ChangeReceipt'] | null;
}

/** Disables many keys: shows the count first, which the reader has to type. */
export function BulkDisableDialog({
  filters,
  what,
  onDone,
  onClose,
}: {
  filters: ListSearch;
  /** The filters in words. */
  what: string;
  onDone: (result: BulkResult) => void;
  onClose: () => void;
}) {
  const [disableReason, setDisableReason] = useState<DisableReason>('unused');
  const [undoAfter, setUndoAfter] = useState('');
  const queryClient = useQueryClient();
  const preview = useQuery({
    queryKey: ['bulk-disable', filters],
    queryFn: () => unwrap(api.GET('/admin/api-keys/bulk-disable', { params: { query: asQuery(filters) } })),
    staleTime: 0,
  });
  const confirm = preview.data?.confirm ?? '';
  const disable = async (reason: string) => {
    const body = {
      disable_reason: disableReason,
      reason,
      confirm,
      undo_after_minutes: undoAfter === '' ? null : Number(undoAfter),
    };
    const call = unwrap(
      api.POST('/admin/api-keys/bulk-disable', { params: { query: asQuery(filters) }, body }),
    );
    onDone(await call.finally(() => void preview.refetch()));
    await queryClient.invalidateQueries({ queryKey: ['bulk-key-changes'] });
    await queryClient.invalidateQueries({ queryKey: ['api-keys'] });
  };
  return (
    <ActionDialog
      title="Disable many keys"
      consequence={
        <Loaded query={preview} lines={1}>
          {({ count }) => (
            <>
              <strong>{plural(count, 'key')}</strong> of {what} that {count === 1 ? 'is' : 'are'} not disabled
              yet. Programs that use them are refused at once. The whole change can be undone.
            </>
          )}
        </Loaded>
      }
      action="Disable them"
      danger
      typed={preview.data && preview.data.count > 0 ? confirm : undefined}
      disabled={!preview.data || preview.data.count === 0}
      fields={['disable_reason']}
      onConfirm={disable}
      onClose={onClose}
    >
      <NativeSelect
        label="Disabled because"
        value={disableReason}
        onChange={(event) => setDisableReason(event.currentTarget.value as DisableReason)}
        data={DISABLE_REASONS.map((value) => ({ value, label: words(value) }))}
      />
      <NativeSelect
        label="Undo automatically"
        value={undoAfter}
        onChange={(event) => setUndoAfter(event.currentTarget.value)}
        data={UNDO_CHOICES}
      />
    </ActionDialog>
  );
}
