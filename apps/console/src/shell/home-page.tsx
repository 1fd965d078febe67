import { SimpleGrid } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageHeader, Panel } from '../components/page';
import { useMay, useMe } from '../session/me';
import { NAVIGATION } from './navigation';

export function HomePage() {
  const me = useMe();
  const may = useMay();
  const entries = NAVIGATION.filter(({ to, needs }) => to !== '/' && (!needs || may(needs)));
  return (
    <>
      <PageHeader title="Home" hint={<>Signed in as {me.email}</>} />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {entries.map(({ label, to, hint }) => (
          <Panel key={to} title={<Link to={to}>{label}</Link>}>
            {hint}
          </Panel>
        ))}
      </SimpleGrid>
    </>
  );
}
