import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readPage } from '../api/client';
import { OWN_KEY_COLUMNS } from '../api-keys/key-columns';
import { Facts } from '../components/facts';
import { asQuery } from '../components/list-search';
import { Loaded, Panel, Split } from '../components/page';
import { formatNumber, plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/time';
import { NewestEvents } from '../audit-log/newest-events';
import { useMay } from '../api/me';
import { AccountManagerName } from './account-badge';
import type { FirstQueries } from '../api/first-queries';
import { accountTab, firstQueries as ofAccount, type AccountDetail } from './account-screen';
import { Forecast } from './forecast';
import { RefusedPanel, TRAFFIC_DAYS, trafficQuery } from './refused-panel';
import { SpentPanel } from './spent-panel';

export const firstQueries: FirstQueries = (place) => {
  const { accountId = '' } = place.params;
  return [...ofAccount(place), trafficQuery(accountId, TRAFFIC_DAYS), keysQuery(accountId)];
};

/** An account at a glance: whether its credits last, what it uses, and what was refused. */
export const AccountPage = accountTab(function Overview({ account }) {
  return (
    <Split side={<Side account={account} />}>
      <Forecast account={account} />
      <SpentPanel accountId={account.id} />
      <KeysPanel account={account} />
      <RefusedPanel accountId={account.id} />
    </Split>
  );
});

const KEYS_SHOWN = '5';
/** Beside the side column. */
const COLUMNS = OWN_KEY_COLUMNS.filter(({ header }) => !['Let in from', 'Tags'].includes(header));

const keysQuery = (accountId: string) => {
  const search = { account_id: accountId, sort: '-last_used_at', limit: KEYS_SHOWN };
  return readPage(['api-keys', search], '/admin/api-keys', asQuery(search));
};

function KeysPanel({ account: { id, usage } }: { account: AccountDetail }) {
  const { total, enabled } = usage.keys;
  const query = useQuery(keysQuery(id));
  if (total === 0) return null;
  return (
    <Panel
      title="Keys"
      note={`${formatNumber(enabled)} of ${formatNumber(total)} enabled, those used last`}
      actions={
        <Link to="/accounts/$accountId/api-keys" params={{ accountId: id }}>
          All keys
        </Link>
      }
    >
      <Loaded query={query}>
        {({ items }) => <SimpleTable name="Keys" rows={items} rowId={(key) => key.id} columns={COLUMNS} />}
      </Loaded>
    </Panel>
  );
}

function Side({ account: { id, tier, usage, limits, manager } }: { account: AccountDetail }) {
  const may = useMay();
  return (
    <>
      <Panel title="Agreement">
        <Facts
          facts={[
            ['Tier', tier],
            ['Account manager', <AccountManagerName manager={manager} />],
            ['Renews', <Time at={usage.credits.period_end} dateOnly />],
            ['At once', plural(limits.concurrency.limit, 'generation')],
          ]}
        />
      </Panel>
      {may('audit.read_own_actions') && <NewestEvents targetId={id} />}
    </>
  );
}
