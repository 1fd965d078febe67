import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { readPage, type Schema } from '../api/client';
import type { ListSearch } from '../components/list-filters';
import { Loaded } from '../components/loading';
import { UserText } from '../components/name';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import { RemoveLettersDialog, RetryButton, type ChangedLetters } from './dead-letter-dialogs';

type Cause = Schema['FailureCauseResponse'];

/** As much of a cause as the filter of the list takes. */
const MOST_LETTERS = 200;

/** The causes of all dead letters, read again when their number changes. */
export function DeadLettersPanel({
  count,
  onDone,
}: {
  count: number;
  onDone: (changed: ChangedLetters) => void;
}) {
  const query = useQuery(readPage(['dead-letters', 'causes', count], '/admin/dead-letters', { limit: 1 }));
  return (
    <Panel title="Dead letters by cause">
      <Loaded query={query}>
        {({ causes }) => <FailureCauses causes={causes} filters={{}} onDone={onDone} />}
      </Loaded>
    </Panel>
  );
}

/** Why reviews failed, most frequent first, and what can be done about all of one cause. */
export function FailureCauses({
  causes,
  filters,
  onDone,
}: {
  causes: readonly Cause[];
  /** What the list is narrowed to beside the cause. */
  filters: ListSearch;
  onDone: (changed: ChangedLetters) => void;
}) {
  const may = useMay();
  const [open, setOpen] = useState<Cause | null>(null);
  if (causes.length === 0) return null;
  const most = Math.max(...causes.map(({ count }) => count));
  return (
    <>
      <SimpleTable
        name="Why reviews failed"
        rows={causes}
        rowId={({ id }) => id}
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
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={`Remove all: ${nameOf(cause)}`}
                  onClick={() => setOpen(cause)}
                >
                  Remove…
                </Button>
              </Group>
            ),
          },
        ]}
      />
      {open && (
        <RemoveLettersDialog
          filters={{ ...filters, cause_group: open.id }}
          what={`the cause “${nameOf(open)}”`}
          onDone={onDone}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

function nameOf({ cause }: Cause): string {
  return cause === '' ? 'not recorded' : cause;
}
