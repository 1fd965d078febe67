import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import type { ListSearch } from '../components/list-filters';
import { asQuery } from '../components/list-search';
import { Loaded } from '../components/loading';
import { Name } from '../components/name';
import { plural } from '../components/number';

interface RetryProps {
  onDone: (text: string) => void;
  onClose: () => void;
}

const QUEUED_AGAIN =
  'They have low priority: reviews that customers wait for come first. If the cause is still there, they come back.';

/** Retries one dead letter. */
export function RetryDialog({
  letter,
  onDone,
  onClose,
}: RetryProps & { letter: Schema['DeadLetterResponse'] }) {
  const refresh = useRefresh();
  const retry = async (reason: string) => {
    const params = { path: { voice_id: letter.voice_id } };
    await unwrap(api.POST('/admin/dead-letters/{voice_id}/retry', { params, body: { reason } }));
    onDone('The review was requested again.');
    await refresh();
  };
  return (
    <ActionDialog
      title="Try again"
      consequence={
        <>
          The review of <Name>{letter.name}</Name> starts again with its first attempt. If the cause is still
          there, it comes back.
        </>
      }
      action="Try it again"
      onConfirm={retry}
      onClose={onClose}
    />
  );
}

/** Retries every dead letter that matches the filters: shows the count first, which the reader has to type. */
export function RetryAllDialog({
  filters,
  what,
  onDone,
  onClose,
}: RetryProps & {
  filters: ListSearch;
  /** The filters in words. */
  what: string;
}) {
  const refresh = useRefresh();
  const query = asQuery(filters);
  const preview = useQuery({
    queryKey: ['bulk-retry', filters],
    queryFn: () => unwrap(api.GET('/admin/dead-letters/retry', { params: { query } })),
    staleTime: 0,
  });
  const { count = 0, confirm = '' } = preview.data ?? {};
  const isAll = Object.keys(filters).length === 0;
  const retry = async (reason: string) => {
    const call = unwrap(
      api.POST('/admin/dead-letters/retry', { params: { query }, body: { reason, confirm } }),
    );
    const { retried } = await call.finally(() => void preview.refetch());
    onDone(`${plural(retried, 'review was', 'reviews were')} requested again.`);
    await refresh();
  };
  return (
    <ActionDialog
      title="Try all of them again"
      consequence={
        <Loaded query={preview} lines={1}>
          {() => (
            <>
              <strong>{plural(count, 'review')}</strong>{' '}
              {isAll ? 'that failed after their last attempt' : `with ${what}`}. {QUEUED_AGAIN}
            </>
          )}
        </Loaded>
      }
      action="Try them again"
      typed={count > 0 ? confirm : undefined}
      disabled={count === 0}
      onConfirm={retry}
      onClose={onClose}
    />
  );
}

function useRefresh(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['dead-letters'] }),
      queryClient.invalidateQueries({ queryKey: ['queues'] }),
    ]);
  };
}
