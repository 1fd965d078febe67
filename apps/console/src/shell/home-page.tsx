import { Stack } from '@mantine/core';
import { Answer, Loading, PageHeader } from '../components/page';
import { AttentionPanel } from '../home/attention';
import { useSources } from '../home/sources';
import { countWaiting, waitingText } from '../home/waiting';
import { Customers } from '../home/customers';
import '../home/home.css';
import { useMay } from '../api/client';

export default function HomePage() {
  const may = useMay();
  const sources = useSources();
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
