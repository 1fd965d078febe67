import { Button, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { ActionsHead } from '../components/actions-head';
import type { ListSearch } from '../components/list-filters';
import { Loaded } from '../components/loading';
import { Foreign } from '../components/name';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';
import { useMay } from '../session/me';
import { ManyLettersDialog, type ChangedLetters } from './dead-letter-dialogs';

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
  const query = useQuery({
    queryKey: ['dead-letters', 'causes', count],
    queryFn: () => unwrap(api.GET('/admin/dead-letters', { params: { query: { limit: 1 } } })),
    placeholderData: keepPreviousData,
  });
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
  const [open, setOpen] = useState<{ action: 'retry' | 'remove'; cause: Cause } | null>(null);
  if (causes.length === 0) return null;
  return (
    <div className="gr-scroll" role="region" aria-label="Why reviews failed, the table" tabIndex={0}>
      <table className="gr-table gr-stacks" aria-label="Why reviews failed">
        <thead>
          <tr>
            <th>Cause</th>
            <th className="gr-number">Reviews</th>
            <th>First</th>
            <th>Last</th>
            <th>Began in release</th>
            {may('queues.retry') && <ActionsHead />}
          </tr>
        </thead>
        <tbody>
          {causes.map((cause) => (
            <tr key={cause.id}>
              <td data-label="Cause" style={{ overflowWrap: 'anywhere' }}>
                <Link
                  to="/dead-letters"
                  search={{ ...filters, cause: cause.cause.slice(0, MOST_LETTERS) } as never}
                >
                  <Foreign>{nameOf(cause)}</Foreign>
                </Link>
              </td>
              <td data-label="Reviews" className="gr-number">
                {formatNumber(cause.count)}
              </td>
              <td data-label="First">
                <Time at={cause.first_at} relative />
              </td>
              <td data-label="Last">
                <Time at={cause.last_at} relative />
              </td>
              <td data-label="Began in release">
                {cause.release ?? <span className="gr-dimmed">not recorded</span>}
              </td>
              {may('queues.retry') && (
                <td>
                  <Group gap="xs">
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Try all again: ${nameOf(cause)}`}
                      onClick={() => setOpen({ action: 'retry', cause })}
                    >
                      Try all again…
                    </Button>
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Remove all: ${nameOf(cause)}`}
                      onClick={() => setOpen({ action: 'remove', cause })}
                    >
                      Remove all…
                    </Button>
                  </Group>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {open && (
        <ManyLettersDialog
          action={open.action}
          filters={{ ...filters, cause_group: open.cause.id }}
          what={`the cause “${nameOf(open.cause)}”`}
          onDone={onDone}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}

function nameOf({ cause }: Cause): string {
  return cause === '' ? 'not recorded' : cause;
}
