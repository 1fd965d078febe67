import { WEBHOOK_EVENT_TYPES, WEBHOOK_TEST_EVENT } from '@app/domain/webhooks/webhook-event';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Schema, read, api, refresh, useMay } from '../api/client';
import type { Column } from '../components/data-table';
import { FilteredList } from '../components/filtered-list';
import type { Filter } from '../components/list-filters';
import { listing, useListing } from '../components/list-search';
import { Panel, Loaded, Facts } from '../components/page';
import { Time, StatusBadge, type Tone } from '../components/inline';
import { OpenButton, ActionDialog, type Closing } from '../components/action-dialog';

const FILTERS: readonly Filter[] = [
  { name: 'state', label: 'State', choices: ['pending', 'delivered', 'failed'] },
  {
    name: 'event',
    label: 'Event',
    choices: [...WEBHOOK_EVENT_TYPES, WEBHOOK_TEST_EVENT].map((value) => ({ value, label: value })),
  },
];
const WATCH_MS = 5_000;

export function DeliveriesPanel({ webhook }: { webhook: Schema['WebhookResponse'] }) {
  const path = { account_id: webhook.account_id, webhook_id: webhook.id };
  const deliveries = '/admin/accounts/{account_id}/webhooks/{webhook_id}/deliveries';
  const listed = useListing(listing(['deliveries', webhook.id], deliveries, FILTERS, path), {
    refetchInterval: WATCH_MS,
  });
  return (
    <Panel title="Deliveries">
      <FilteredList
        views={{ screen: 'webhooks' }}
        name="Deliveries"
        {...listed}
        columns={columnsFor(path)}
        empty="Nothing was sent yet, or nothing matches these filters."
      />
    </Panel>
  );
}

type Path = { account_id: string; webhook_id: string };

const columnsFor = (path: Path): Column<Schema['DeliveryResponse']>[] => [
  { header: 'Event', cell: ({ event }) => event },
  { header: 'State', cell: ({ state }) => <DeliveryBadge state={state} /> },
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
  { header: 'Attempts', number: true, cell: ({ attempts }) => attempts },
  {
    id: 'next',
    header: 'Next attempt',
    cell: ({ next_attempt_at }) => <Time at={next_attempt_at} relative never="none" />,
  },
  { header: 'Created', cell: ({ created_at }) => <Time at={created_at} relative /> },
  {
    id: 'show',
    header: 'Details',
    cell: ({ id, event }) => (
      <OpenButton size="compact-xs" label="Show…" aria-label={`Show ${event} ${id}`}>
        {(close) => <DeliveryDialog path={path} id={id} onClose={close} />}
      </OpenButton>
    ),
  },
];

const ONE = '/admin/accounts/{account_id}/webhooks/{webhook_id}/deliveries/{delivery_id}';

function DeliveryDialog({ path, id, onClose }: Closing & { path: Path; id: string }) {
  const may = useMay()('accounts.write');
  const params = { ...path, delivery_id: id };
  const query = useQuery({ ...read(['delivery', id], ONE, params), staleTime: 0 });
  const replay = async (reason: string) => {
    await api.POST(`${ONE}/replay`, params, { reason });
    await refresh(['deliveries', path.webhook_id]);
  };
  return (
    <ActionDialog
      title="The delivery"
      of={query.data?.event ?? null}
      consequence={<Loaded query={query}>{(delivery) => <DeliveryView delivery={delivery} />}</Loaded>}
      action="Send it again"
      withReason={may}
      disabled={!may || (query.data?.state === 'pending' && query.data.attempts === 0)}
      onConfirm={replay}
      onClose={onClose}
    />
  );
}

function DeliveryView({ delivery }: { delivery: Schema['DeliveryDetailResponse'] }) {
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          ['Event', delivery.event],
          ['State', <DeliveryBadge state={delivery.state} />],
          ['Event id', <span className="gr-mono">{delivery.event_id}</span>],
        ]}
      />
      <pre className="gr-mono gr-cause" role="region" tabIndex={0} aria-label="What was sent">
        {delivery.body}
      </pre>
      <ol style={{ margin: 0, paddingLeft: '1.2rem' }}>
        {delivery.attempt_log.map(({ at, status, ms, error, answer }) => (
          <li key={at}>
            <Time at={at} />: {error ?? `accepted with ${status}`}{' '}
            <span className="gr-dimmed">in {ms} ms</span>
            {answer && <div className="gr-mono gr-dimmed">{answer}</div>}
          </li>
        ))}
      </ol>
    </Stack>
  );
}

export function WebhookBadge({ webhook }: { webhook: Schema['WebhookResponse'] }) {
  const { enabled, disabled_reason, failing_since } = webhook;
  if (enabled && failing_since === null) return <StatusBadge tone="good">enabled</StatusBadge>;
  if (enabled) return <StatusBadge tone="warn">failing</StatusBadge>;
  const why = {
    staff: 'by us',
    customer: 'by the customer',
    failing: 'it accepted nothing for a day',
    gone: 'it responded 410',
  };
  return (
    <StatusBadge tone="bad">
      disabled{disabled_reason === null ? '' : `: ${why[disabled_reason]}`}
    </StatusBadge>
  );
}

const TONES: Record<Schema['DeliveryResponse']['state'], Tone> = {
  pending: 'info',
  delivered: 'good',
  failed: 'bad',
};

function DeliveryBadge({ state }: { state: Schema['DeliveryResponse']['state'] }) {
  return <StatusBadge tone={TONES[state]}>{state}</StatusBadge>;
}
