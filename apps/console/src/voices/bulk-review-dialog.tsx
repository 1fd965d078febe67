import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../api/client';
import { refresh } from '../api/query-client';
import { ActionDialog, type DoingToAll } from '../components/action-dialog';
import { asQuery } from '../components/list-search';
import { Loaded } from '../components/loading';
import { plural } from '../components/number';

/** Reviews every voice again that matches the filters: shows the count first, which the reader has to type. */
export function BulkReviewDialog({ filters, what, onDone, onClose }: DoingToAll<number>) {
  const [force, setForce] = useState(false);
  const query = asQuery({ ...filters, force: String(force) });
  const preview = useQuery({
    ...read(['bulk-review', filters, force], '/admin/voices/re-review', query),
    staleTime: 0,
  });
  const { count = 0, confirm = '' } = preview.data ?? {};
  const start = async (reason: string) => {
    const call = api.POST('/admin/voices/re-review', query, { reason, confirm });
    onDone((await call.finally(() => void preview.refetch())).started);
    await refresh(['voices']);
  };
  return (
    <ActionDialog
      title="Review many voices again"
      of={what}
      consequence={
        <Loaded query={preview} lines={1}>
          {() => (
            <>
              <strong>{plural(count, 'voice')}</strong> of {what} without a review in progress. They are
              reviewed after those that customers wait for, and customers see them in review until then.
            </>
          )}
        </Loaded>
      }
      action="Review them again"
      typed={count > 0 ? confirm : undefined}
      disabled={count === 0}
      onConfirm={start}
      onClose={onClose}
    >
      <Checkbox
        label="Also voices that a person has graded"
        description="Their grades are replaced by what the review finds."
        checked={force}
        onChange={(event) => setForce(event.currentTarget.checked)}
      />
    </ActionDialog>
  );
}
