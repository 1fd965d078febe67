import { Stack } from '@mantine/core';
import { Answer, Loading, PageHeader } from '../components/page';
import { AttentionPanel } from '../home/attention';
import { useAlertsAttention } from '../home/use-alerts-attention';
import { useApprovalsAttention } from '../home/use-approvals-attention';
import { useChecksAttention } from '../home/use-checks-attention';
import { useDeskAttention } from '../home/use-desk-attention';
import { useKeysAttention } from '../home/use-keys-attention';
import { useQueuesAttention } from '../home/use-queues-attention';
import { useReceiversAttention } from '../home/use-receivers-attention';
import { useVoicesAttention } from '../home/use-voices-attention';
import { countWaiting, waitingText } from '../home/waiting';
import { Customers } from '../home/customers';
import '../home/home.css';
import { useMay } from '../api/me';

/** What waits for the signed-in person, and the accounts that they manage. */
export function HomePage() {
  const may = useMay();
  const [keys, voices, queues] = [may('keys.write'), may('voices.read'), may('queues.read')];
  const [desk, approvals, alerts] = [may('voices.review'), may('approvals.decide'), may('alerts.write')];
  const checks = may('checks.read');
  const checksAttention = useChecksAttention(checks);
  const alertsAttention = useAlertsAttention(alerts);
  const approvalsAttention = useApprovalsAttention(approvals);
  const keysAttention = useKeysAttention(keys);
  const voicesAttention = useVoicesAttention(voices);
  const queuesAttention = useQueuesAttention(queues);
  const receivers = may('accounts.write') && !queues;
  const receiversAttention = useReceiversAttention(receivers);
  const deskAttention = useDeskAttention(desk);
  // What is equally urgent is in this order.
  const sources = [
    ...(checks ? [checksAttention] : []),
    ...(queues ? [queuesAttention] : []),
    ...(receivers ? [receiversAttention] : []),
    ...(keys ? [keysAttention] : []),
    ...(voices ? [voicesAttention] : []),
    ...(desk ? [deskAttention] : []),
    ...(approvals ? [approvalsAttention] : []),
    ...(alerts ? [alertsAttention] : []),
  ];
  const waiting = countWaiting(sources);
  const attention = <AttentionPanel sources={sources} />;
  return (
    <Stack>
      <PageHeader title="Home" />
      {may('accounts.write') ? (
        <Customers waiting={waiting}>{attention}</Customers>
      ) : (
        <>
          {waiting === null ? <Loading lines={1} /> : <Answer sentence={waitingText(waiting)} />}
          {attention}
        </>
      )}
    </Stack>
  );
}
