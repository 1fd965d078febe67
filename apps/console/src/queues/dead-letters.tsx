import { Button, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, read, type Schema, readPage, refresh, useMay } from '../api/client';
import { OpenButton, ActionDialog, type DoingToAll, type Done } from '../components/action-dialog';
import type { ListSearch } from '../components/list-filters';
import { asQuery } from '../components/list-search';
import { Loaded, Panel } from '../components/page';
import { UserText, Time } from '../components/inline';
import { formatNumber, plural } from '../components/number';
import { ProblemBanner, ReceiptBanner } from '../components/banner';
import { ProgressLine } from '../components/meter';
import { SimpleTable } from '../components/simple-table';

type Letter = Schema['DeadLetterResponse'];

/** What was done with dead letters, or why nothing was. */
export interface ChangedLetters {
  done?: Done;
  /** Of a retry of many, to follow how far it is. */
  retryId?: string;
  error?: unknown;
}

/** What the audit log says about a retry, which is one click. */
const REASON = 'Tried again in the console';

/** Retries dead letters: one, or all that match filters, in low priority, so that reviews that customers wait for come first. */
export function RetryButton(props: {
  letter?: Letter;
  filters: ListSearch;
  label: string;
  name?: string;
  onDone: (changed: ChangedLetters) => void;
}) {
  const { letter, filters, label, name, onDone } = props;
  const retry = useMutation({
    mutationFn: () => (letter ? retryOne(letter) : retryMany(asQuery(filters))),
    onSuccess: onDone,
    onError: (error) => onDone({ error }),
    onSettled: refreshLetters,
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={name}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    >
      {label}
    </Button>
  );
}

async function retryOne({ voice_id, name: of }: Letter): Promise<ChangedLetters> {
  await api.POST('/admin/dead-letters/{voice_id}/retry', voice_id, { reason: REASON });
  return { done: { text: 'The review was requested again.', of } };
}

async function retryMany(query: never): Promise<ChangedLetters> {
  const { confirm } = await api.GET('/admin/dead-letters/retry', query);
  const { id, retried } = await api.POST('/admin/dead-letters/retry', query, { reason: REASON, confirm });
  return {
    done: { text: `${plural(retried, 'review was', 'reviews were')} requested again.`, of: null },
    retryId: id,
  };
}

function RemoveLettersDialog({ filters, what, onDone, onClose }: DoingToAll<ChangedLetters>) {
  const query = asQuery(filters);
  const preview = useQuery({
    ...read(['dead-letters', 'preview', filters], '/admin/dead-letters/remove', query),
    staleTime: 0,
  });
  const { count = 0, confirm = '' } = preview.data ?? {};
  const remove = async (reason: string) => {
    const call = api.POST('/admin/dead-letters/remove', query, { reason, confirm });
    const { removed } = await call.finally(() => void preview.refetch());
    onDone({ done: { text: `${plural(removed, 'review was', 'reviews were')} removed.`, of: null } });
    await refreshLetters();
  };
  return (
    <ActionDialog
      title="Remove all of them"
      of={what}
      consequence={
        <Loaded query={preview} lines={1}>
          {() => (
            <>
              <strong>{plural(count, 'review')}</strong> <UserText>{`with ${what}`}</UserText>. Their reviews
              are cancelled and nothing tries them again. A voice keeps the grade that it had; one without a
              grade stays in review for its customer until staff review it again.
            </>
          )}
        </Loaded>
      }
      action="Remove them"
      danger
      typed={count > 0 ? confirm : undefined}
      disabled={count === 0}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}

export function ChangedLettersBanner({ changed: { done, retryId, error } }: { changed: ChangedLetters }) {
  return (
    <>
      {done && <ReceiptBanner of={done.of}>{done.text}</ReceiptBanner>}
      <ProblemBanner error={error ?? null} />
      {retryId !== undefined && <RetryProgress id={retryId} />}
    </>
  );
}

const WATCH_MS = 1_500;

function RetryProgress({ id }: { id: string }) {
  const { data } = useQuery({
    ...read(['dead-letters', 'retry', id], '/admin/dead-letters/retry/{retry_id}/progress', id),
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

const refreshLetters = () => refresh(['dead-letters'], ['queues']);

type Cause = Schema['FailureCauseResponse'];

/** As much of a cause as the filter of the list takes. */
const MOST_LETTERS = 200;

export function DeadLettersPanel(props: { count: number; onDone: (changed: ChangedLetters) => void }) {
  const { count, onDone } = props;
  const query = useQuery(readPage(['dead-letters', 'causes', count], '/admin/dead-letters', { limit: 1 }));
  return (
    <Panel title="Dead letters by cause">
      <Loaded query={query}>
        {({ causes }) => <FailureCauses causes={causes} filters={{}} onDone={onDone} />}
      </Loaded>
    </Panel>
  );
}

export function FailureCauses(props: {
  causes: readonly Cause[];
  /** What the list is narrowed to beside the cause. */
  filters: ListSearch;
  onDone: (changed: ChangedLetters) => void;
}) {
  const { causes, filters, onDone } = props;
  const may = useMay();
  if (causes.length === 0) return null;
  const most = Math.max(...causes.map(({ count }) => count));
  return (
    <SimpleTable
      name="Why reviews failed"
      rows={causes}
      columns={[
        {
          header: 'Cause',
          cell: (cause) => (
            <Link
              to="/dead-letters"
              search={{ ...filters, cause: cause.cause.slice(0, MOST_LETTERS) } as never}
            >
              <UserText>{nameOf(cause)}</UserText>
            </Link>
          ),
        },
        {
          header: 'Reviews',
          number: true,
          cell: ({ count }) => (
            <div className="gr-amount" data-tone="bad">
              <i style={{ width: `${(count / most) * 100}%` }} />
              {formatNumber(count)}
            </div>
          ),
        },
        { header: 'First', cell: ({ first_at: at }) => <Time at={at} relative /> },
        { header: 'Last', cell: ({ last_at: at }) => <Time at={at} relative /> },
        {
          header: 'Began in',
          cell: ({ release }) => release ?? <span className="gr-dimmed">not recorded</span>,
        },
        may('queues.retry') && {
          header: '',
          cell: (cause) => (
            <Group gap="xs" wrap="nowrap">
              <RetryButton
                filters={{ ...filters, cause_group: cause.id }}
                label={`Try ${formatNumber(cause.count)} again`}
                name={`Try ${formatNumber(cause.count)} again: ${nameOf(cause)}`}
                onDone={onDone}
              />
              <OpenButton
                size="compact-sm"
                variant="subtle"
                label="Remove…"
                aria-label={`Remove all: ${nameOf(cause)}`}
              >
                {(close) => (
                  <RemoveLettersDialog
                    filters={{ ...filters, cause_group: cause.id }}
                    what={`the cause “${nameOf(cause)}”`}
                    onDone={onDone}
                    onClose={close}
                  />
                )}
              </OpenButton>
            </Group>
          ),
        },
      ]}
    />
  );
}

const nameOf = ({ cause }: Cause): string => (cause === '' ? 'not recorded' : cause);
