import { Facts } from '../components/facts';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { Split } from '../components/split';
import { Time } from '../components/time';
import { NewestEvents } from '../audit-log/newest-events';
import { useMay } from '../api/me';
import { AccountManagerName } from './account-manager-name';
import { AccountScreen, type AccountDetail } from './account-screen';
import { Forecast } from './forecast';
import { RefusedPanel } from './refused-panel';
import { SpentPanel } from './spent-panel';

export { firstQueries } from './account-screen';

/** An account at a glance: whether its credits last, what it uses, and what was refused. */
export function AccountPage() {
  return (
    <AccountScreen>
      {({ account }) => (
        <Split side={<Side account={account} />}>
          <Forecast account={account} />
          <SpentPanel accountId={account.id} />
          <RefusedPanel accountId={account.id} />
        </Split>
      )}
    </AccountScreen>
  );
}

function Side({ account: { id, tier, usage, limits, manager } }: { account: AccountDetail }) {
  const may = useMay();
  const { keys } = usage;
  return (
    <>
      <Panel title="Agreement">
        <Facts
          facts={[
            ['Tier', tier],
            ['Account manager', <AccountManagerName manager={manager} />],
            ['Renewed', <Time at={usage.credits.period_end} dateOnly />],
            ['At once', plural(limits.concurrency.limit, 'generation')],
            [
              'Keys',
              `${formatNumber(keys.enabled)} of ${formatNumber(keys.total)} enabled, ${formatNumber(keys.with_allow_list)} with an allow-list`,
            ],
          ]}
        />
      </Panel>
      {may('audit.read_own_actions') && <NewestEvents targetId={id} />}
    </>
  );
}
