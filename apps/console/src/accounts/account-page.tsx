import { SimpleGrid, Stack } from '@mantine/core';
import { Facts } from '../components/facts';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { UsageBar } from '../components/meter';
import { AccountManagerName } from './account-manager-name';
import { AccountScreen, type AccountDetail } from './account-screen';
import { ForecastPanel } from './forecast-panel';
import { RefusedPanel } from './refused-panel';
import { SpentPanel } from './spent-panel';

/** An account at a glance: what it uses, where that leads to, and what was refused. */
export function AccountPage() {
  return (
    <AccountScreen>
      {({ account }) => (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <ForecastPanel account={account} />
            <StockPanel account={account} />
          </SimpleGrid>
          <SpentPanel accountId={account.id} />
          <RefusedPanel accountId={account.id} />
        </>
      )}
    </AccountScreen>
  );
}

function StockPanel({ account: { usage, limits, manager } }: { account: AccountDetail }) {
  const { voices, keys } = usage;
  return (
    <Panel title="Voices and keys">
      <Stack>
        <UsageBar used={voices.used} limit={voices.limit} unit="voices" />
        <Facts
          facts={[
            [
              'Keys',
              `${plural(keys.total, 'key')}, ${keys.enabled} enabled, ${keys.with_allow_list} with an allow-list`,
            ],
            ['Concurrent generations', formatNumber(limits.concurrency.limit)],
            ['Account manager', <AccountManagerName manager={manager} />],
          ]}
        />
      </Stack>
    </Panel>
  );
}
