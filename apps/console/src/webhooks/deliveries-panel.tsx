import { WEBHOOK_EVENT_TYPES, WEBHOOK_TEST_EVENT } from '@app/domain/webhooks/webhook-event';
import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPage, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import { named, type Filter } from '../components/list-filters';
import { useListSearch } from '../components/list-search';
import { Panel } from '../components/page';
import { SavedViews } from '../components/saved-views';
import { Time } from '../components/time';
import { DeliveryDialog } from './delivery-dialog';
import { DeliveryBadge } from './webhook-badge';

type Delivery = Schema['DeliveryResponse'];

const FILTERS: readonly Filter[] = [
  { name: 'state', label: 'State', kind: 'choice', choices: named(['pending', 'delivered', 'failed']) },
  {
    name: 'event',
    label: 'Event',
    kind: 'choice',
    choices: [...WEBHOOK_EVENT_TYPES, WEBHOOK_TEST_EVENT].map((value) => ({ value, label: value })),
  },
];
/** Updates itself. */
const WATCH_MS = 5_000;

/** What was sent to an endpoint and how it responded. */
export function DeliveriesPanel({ webhook }: { webhook: Schema['WebhookResponse'] }) {
  const list = useListSearch(FILTERS);
  const [shown, setShown] = useState<string | null>(null);
  const path = { account_id: webhook.account_id, webhook_id: webhook.id };
  const query = useQuery({
    ...readPage(
      ['deliveries', webhook.id, list.search],
      '/admin/accounts/{account_id}/webhooks/{webhook_id}/deliveries',
      { ...path, ...(list.query as object) },
    ),
    refetchInterval: WATCH_MS,
  });
  return (
    <Panel title="Deliveries">
      <Stack>
        <FilterBar list={list} />
        <SavedViews screen="webhooks" list={list} />
        <DataTable
          name="Deliveries"
          query={query}
          columns={columnsFor(setShown)}
          rowId={({ id }) => id}
          list={list}
          empty="Nothing was sent yet, or nothing matches these filters."
        />
      </Stack>
      {shown !== null && <DeliveryDialog path={path} id={shown} onClose={() => setShown(null)} />}
    </Panel>
  );
}

const columnsFor = (onShow: (id: string) => void): Column<Delivery>[] => [
  { id: 'event', header: 'Event', cell: ({ event }) => event },
  { id: 'state', header: 'State', cell: ({ state }) => <DeliveryBadge state={state} /> },
  {
    id: 'answer',
    header: 'Last response',
    cell: ({ last_attempt: last }) =>
      last === null ? (
        <span className="gr-dimmed">none yet</span>
      ) : (
        (last.error ?? `accepted with ${last.status}`)
      ),
  },
  { id: 'attempts', header: 'Attempts', number: true, cell: ({ attempts }) => attempts },
  {
    id: 'next',
    header: 'Next attempt',
    cell: ({ next_attempt_at }) => <Time at={next_attempt_at} relative never="none" />,
  },
  { id: 'created', header: 'Created', cell: ({ created_at }) => <Time at={created_at} relative /> },
  {
    id: 'show',
    header: 'Details',
    cell: ({ id, event }) => (
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => onShow(id)}
        aria-label={`Show ${event} ${id}`}
      >
        Show…
      </Button>
    ),
  },
];
