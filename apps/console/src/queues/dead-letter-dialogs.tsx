import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import type { ListSearch } from '../components/list-filters';
import { asQuery } from '../components/list-search';
import { Loaded } from '../components/loading';
import { Foreign, Name } from '../components/name';
import { Notice } from '../components/notice';
import { formatNumber, plural } from '../components/number';
import { ProgressLine } from '../components/progress-line';

/** What was done with dead letters. */
export interface ChangedLetters {
  text: string;
  /** Of a retry of many, to follow how far it is. */
  retryId?: string;
}

/** Retries one dead letter. */
export function RetryDialog({
  letter,
  onDone,
  onClose,
}: {
  letter: Schema['DeadLetterResponse'];
  onDone: (changed: ChangedLetters) => void;
  onClose: () => void;
}) {
  const refresh = useRefresh();
  const retry = async (reason: string) => {
    const params = { path: { voice_id: letter.voice_id } };
    await unwrap(api.POST('/admin/dead-letters/{voice_id}/retry', { params, body: { reason } }));
    onDone({ text: 'The review was requested again.' });
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

const ACTIONS = {
  retry: {
    title: 'Try all of them again',
    action: 'Try them again',
    consequence:
      'They have low priority: reviews that customers wait for come first. If the cause is still there, they come back.',
  },
  remove: {
    title: 'Remove all of them',
    action: 'Remove them',
    consequence:
      'Their reviews are cancelled and nothing tries them again. A voice keeps the grade that it had; one without a grade stays in review for its customer until staff review it again.',
  },
} as const;

/** Retries or removes every dead letter that matches the filters: shows the count first, which the reader has to type. */
export function ManyLettersDialog({
  action,
  filters,
  what,
  onDone,
  onClose,
}: {
  action: keyof typeof ACTIONS;
  filters: ListSearch;
  /** The filters in words; empty without any. */
  what: string;
  onDone: (changed: ChangedLetters) => void;
  onClose: () => void;
}) {
  const refresh = useRefresh();
  const query = asQuery(filters);
  const preview = useQuery({
    queryKey: ['dead-letters', 'preview', action, filters],
    queryFn: () =>
      unwrap(
        action === 'retry'
          ? api.GET('/admin/dead-letters/retry', { params: { query } })
          : api.GET('/admin/dead-letters/remove', { params: { query } }),
      ),
    staleTime: 0,
  });
  const { count = 0, confirm = '' } = preview.data ?? {};
  const change = async (reason: string) => {
    const given = { params: { query }, body: { reason, confirm } };
    const call = action === 'retry' ? retryMany(given) : removeMany(given);
    onDone(await call.finally(() => void preview.refetch()));
    await refresh();
  };
  return (
    <ActionDialog
      title={ACTIONS[action].title}
      consequence={
        <Loaded query={preview} lines={1}>
          {() => (
            <>
              <strong>{plural(count, 'review')}</strong>{' '}
              {what === '' ? 'that failed after their last attempt' : <Foreign>{`with ${what}`}</Foreign>}.{' '}
              {ACTIONS[action].consequence}
            </>
          )}
        </Loaded>
      }
      action={ACTIONS[action].action}
      danger={action === 'remove'}
      typed={count > 0 ? confirm : undefined}
      disabled={count === 0}
      onConfirm={change}
      onClose={onClose}
    />
  );
}

type Given = { params: { query: never }; body: { reason: string; confirm: string } };

async function retryMany(given: Given): Promise<ChangedLetters> {
  const { id, retried } = await unwrap(api.POST('/admin/dead-letters/retry', given));
  return { text: `${plural(retried, 'review was', 'reviews were')} requested again.`, retryId: id };
}

async function removeMany(given: Given): Promise<ChangedLetters> {
  const { removed } = await unwrap(api.POST('/admin/dead-letters/remove', given));
  return { text: `${plural(removed, 'review was', 'reviews were')} removed.` };
}

/** What was done with dead letters, and how far the retry of many is. */
export function ChangedLettersNotice({ changed: { text, retryId } }: { changed: ChangedLetters }) {
  return (
    <>
      <Notice tone="good">{text}</Notice>
      {retryId !== undefined && <RetryProgress id={retryId} />}
    </>
  );
}

const WATCH_MS = 1_500;

function RetryProgress({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['dead-letters', 'retry', id],
    queryFn: () =>
      unwrap(
        api.GET('/admin/dead-letters/retry/{retry_id}/progress', { params: { path: { retry_id: id } } }),
      ),
    refetchInterval: ({ state }) => (state.data?.pending === 0 ? false : WATCH_MS),
  });
  if (!data) return null;
  const { reviews, pending, failed } = data;
  const again = failed === 0 ? '' : `, ${formatNumber(failed)} failed again`;
  return (
    <ProgressLine done={reviews - pending} total={reviews} label="Reviews ended so far">
      {`${formatNumber(reviews - pending)} of ${plural(reviews, 'review')} done${again}`}
    </ProgressLine>
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
