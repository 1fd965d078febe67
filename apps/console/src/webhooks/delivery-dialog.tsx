import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, read, type Schema } from '../api/client';
import { refresh } from '../api/query-client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Facts } from '../components/facts';
import { Loaded } from '../components/loading';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import { DeliveryBadge } from './webhook-badge';

type Detail = Schema['DeliveryDetailResponse'];

const ONE = '/admin/accounts/{account_id}/webhooks/{webhook_id}/deliveries/{delivery_id}';

/** What was sent, every attempt with its response, and a way to send it again. */
export function DeliveryDialog({
  path,
  id,
  onClose,
}: Closing & { path: { account_id: string; webhook_id: string }; id: string }) {
  const may = useMay()('accounts.write');
  const params = { ...path, delivery_id: id };
  const query = useQuery({
    ...read(['delivery', id], ONE, params),
    staleTime: 0,
  });
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

function DeliveryView({ delivery }: { delivery: Detail }) {
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
