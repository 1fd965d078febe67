import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { GrantButton, GrantedBanner, type Granted } from '../accounts/grant-button';
import { CreditsBar, Lasts } from '../accounts/standing';
import { api, unwrap, type Schema } from '../api/client';
import { AccountName } from '../components/account-name';
import { asQuery } from '../components/list-search';
import type { ListSearch } from '../components/list-filters';
import { Loaded } from '../components/loading';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import { SimpleTable } from '../components/simple-table';
import { StatusBadge } from '../components/status-badge';
import { FirstSteps } from './first-steps';
import { WATCH_MS } from '../components/watch';

type Account = Schema['ListedAccountResponse'];

const SHOWN = 6;
const MINE = { manager: 'me', status: 'active', sort: 'lasts' };
/** Of others, only what costs little to look for. */
const SHORT = { status: 'active', min_credits_percent: '90', sort: '-credit_share' };

const list = (search: ListSearch) =>
  unwrap(api.GET('/admin/accounts', { params: { query: asQuery({ ...search, limit: String(SHOWN) }) } }));

/** Who runs out of credits: the reader's accounts, then all others. */
export function Customers() {
  const [done, setDone] = useState<Granted | null>(null);
  const query = useQuery({
    queryKey: ['accounts', 'customers'],
    queryFn: async () => {
      const [mine, short, any] = await Promise.all([list(MINE), list(SHORT), list({})]);
      return { mine, others: short.items.filter(({ id }) => !mine.items.some((one) => one.id === id)), any };
    },
    refetchInterval: WATCH_MS,
  });
  if (query.data?.any.total === 0) return <FirstSteps />;
  return (
    <Panel
      title="Customers"
      actions={
        <Link
          to="/accounts"
          search={{ status: 'active', runs_out_within_days: '31', sort: 'lasts' } as never}
        >
          All that run out
        </Link>
      }
    >
      {done && <GrantedBanner key={JSON.stringify(done)} {...done} />}
      <Loaded query={query}>
        {({ mine, others }) => (
          <>
            <Rows name="My accounts, the first to run out first" accounts={mine.items} onDone={setDone} />
            {mine.total > SHOWN && (
              <Link to="/accounts" search={MINE as never}>
                All {formatNumber(mine.total)} accounts of mine
              </Link>
            )}
            <Rows name="Others with 90 % of their credits used" accounts={others} onDone={setDone} />
            {mine.total + others.length === 0 && (
              <>
                <StatusBadge tone="good">fine</StatusBadge>{' '}
                <span className="gr-dimmed">No account has used 90 % of its credits.</span>
              </>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Rows({
  name,
  accounts,
  onDone,
}: {
  name: string;
  accounts: Account[];
  onDone: (done: Granted) => void;
}) {
  if (accounts.length === 0) return null;
  return (
    <SimpleTable
      name={name}
      caption
      rows={accounts}
      rowId={({ id }) => id}
      columns={[
        { header: 'Account', cell: (account) => <AccountName account={account} /> },
        { header: 'Credits used', cell: ({ standing }) => <CreditsBar credits={standing.credits} /> },
        { header: 'Runs out', cell: ({ standing }) => <Lasts credits={standing.credits} /> },
        { header: '', cell: (account) => <GrantButton account={account} onDone={onDone} /> },
      ]}
    />
  );
}
