import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read, type Schema, refresh, useMay } from '../api/client';
import { AccountName, LinkFor, Name, UserText, Time } from '../components/inline';
import { ActionButton, type Done } from '../components/action-dialog';
import { Panel } from '../components/page';
import { plural } from '../components/number';
import { ReceiptBanner } from '../components/banner';
import { LoadedTable } from '../components/simple-table';

type Receiver = Schema['FailingReceiverResponse'];

const receiversQuery = read(['failing-receivers'], '/admin/queues/receivers');

export function ReceiversPanel() {
  const may = useMay();
  const query = useQuery({ ...receiversQuery, refetchInterval: 5_000 });
  const [done, setDone] = useState<Done | null>(null);
  const send = async ({ id, name: of, enabled }: Receiver, reason: string) => {
    const { replayed } = await (enabled
      ? api.POST('/admin/queues/receivers/{webhook_id}/replay', id, { reason })
      : api.POST('/admin/queues/receivers/{webhook_id}/enable', id, { reason }));
    setDone({ text: `${plural(replayed, 'delivery is', 'deliveries are')} sent again now.`, of });
    await refresh(receiversQuery.queryKey);
  };
  return (
    <Panel title="Webhook receivers that fail">
      {done && <ReceiptBanner of={done.of}>{done.text}</ReceiptBanner>}
      <LoadedTable
        name="Webhook receivers that fail"
        query={query}
        empty={['No receiver fails']}
        columns={[
          { header: 'Receiver', cell: (receiver) => <Where receiver={receiver} /> },
          { header: 'Account', cell: ({ account }) => <AccountName account={account} /> },
          { header: 'Fails since', cell: ({ since }) => <Time at={since} relative /> },
          { header: 'Last response', cell: ({ last_error: error }) => error && <UserText>{error}</UserText> },
          {
            header: 'Next attempt',
            cell: ({ next_attempt_at: at, enabled }) => {
              if (!enabled) return 'switched off after a day';
              return at && Date.parse(at) <= Date.now() ? 'due now' : <Time at={at} relative never="none" />;
            },
          },
          { header: 'Waiting', number: true, cell: ({ waiting }) => waiting },
          { header: 'Failed', number: true, cell: ({ failed }) => failed },
          may('queues.retry') && {
            header: '',
            cell: (receiver) => (
              <ActionButton
                label={`${actionOf(receiver)}…`}
                name={`${actionOf(receiver)}: ${receiver.name}`}
                title={actionOf(receiver)}
                of={receiver.name}
                consequence={`${receiver.enabled ? '' : 'It is enabled again. '}All that it has not accepted is sent at once, the oldest first, also what waits for its next attempt.`}
                onConfirm={(reason) => send(receiver, reason)}
              />
            ),
          },
        ]}
      />
    </Panel>
  );
}

const actionOf = ({ enabled }: Receiver) => (enabled ? 'Send again' : 'Switch on and send again');

function Where({ receiver: { id, name, url, account } }: { receiver: Receiver }) {
  return (
    <>
      <LinkFor needs="accounts.read" to={`/accounts/${account.id}/webhooks/${id}`}>
        <Name>{name}</Name>
      </LinkFor>
      <div className="gr-mono gr-dimmed" style={{ overflowWrap: 'anywhere' }}>
        {url}
      </div>
    </>
  );
}
