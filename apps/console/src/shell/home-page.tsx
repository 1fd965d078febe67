import { SimpleGrid, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageHeader, Panel } from '../components/page';
import { KeysAttention } from '../home/keys-attention';
import { QueuesAttention } from '../home/queues-attention';
import { VoicesAttention } from '../home/voices-attention';
import { useMay, useMe } from '../session/me';
import { NAVIGATION } from './navigation';

/** What waits for the signed-in person, and links to all screens. */
export function HomePage() {
  const me = useMe();
  const may = useMay();
  const entries = NAVIGATION.filter(({ to, needs }) => to !== '/' && (!needs || may(needs)));
  return (
    <Stack>
      <PageHeader title="Home" hint={<>What needs attention. Signed in as {me.email}</>} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {may('keys.write') && <KeysAttention />}
        {may('voices.read') && <VoicesAttention />}
        {may('queues.read') && <QueuesAttention />}
      </SimpleGrid>
      <Panel title="Screens">
        <ul className="gr-attention">
          {entries.map(({ label, to, hint }) => (
            <li key={to}>
              <Link to={to}>{label}</Link> <span className="gr-dimmed">{hint}</span>
            </li>
          ))}
        </ul>
      </Panel>
    </Stack>
  );
}
