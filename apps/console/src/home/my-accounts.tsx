import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, unwrap, type Schema } from '../api/client';
import { AccountName } from '../components/account-name';
import { asQuery } from '../components/list-search';
import { Loaded } from '../components/loading';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { useMe } from '../session/me';

const SHOWN = 10;
const MINE = { manager: 'me', status: 'active' };

type Standing = Schema['AccountDetailResponse'] & { forecast: Schema['UsageForecastResponse'] };

/** Of the accounts that the reader manages, those that have used most of their credits: the shortest first. */
export function MyAccounts() {
  const { role } = useMe();
  const query = useQuery({
    queryKey: ['accounts', MINE, SHOWN],
    queryFn: () =>
      unwrap(
        api.GET('/admin/accounts', {
          params: { query: asQuery({ ...MINE, sort: '-credit_share', limit: String(SHOWN) }) },
        }),
      ),
  });
  if (query.data?.total === 0 && role !== 'account_manager') return null;
  return (
    <Panel
      title="My accounts"
      actions={
        query.data !== undefined &&
        query.data.total > SHOWN && (
          <Link to="/accounts" search={MINE as never}>
            All {formatNumber(query.data.total)}
          </Link>
        )
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <div className="gr-dimmed">
              No account is assigned to you. Accounts are assigned in their settings.
            </div>
          ) : (
            <Accounts ids={items.map(({ id }) => id)} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Accounts({ ids }: { ids: string[] }) {
  const standings = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['my-account', id],
      queryFn: () => readStanding(id),
      staleTime: 60_000,
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return (
    <ul className="gr-attention" aria-label="My accounts, those with the fewest credits left first">
      {standings
        .toSorted((a, b) => lastsUntil(a) - lastsUntil(b))
        .map((account) => (
          <li key={account.id}>
            <AccountName account={account} /> <Credits account={account} />
          </li>
        ))}
    </ul>
  );
}

async function readStanding(id: string): Promise<Standing> {
  const params = { path: { account_id: id } };
  const [account, forecast] = await Promise.all([
    unwrap(api.GET('/admin/accounts/{account_id}', { params })),
    unwrap(api.GET('/admin/accounts/{account_id}/usage/forecast', { params })),
  ]);
  return { ...account, forecast };
}

function Credits({ account }: { account: Standing }) {
  const left = creditsLeft(account);
  const { runs_out_at: end, period_end: again } = account.forecast;
  return (
    <>
      {left === 0 && <StatusBadge tone="bad">out of credits</StatusBadge>}
      {left > 0 && end !== null && <StatusBadge tone="warn">will run out</StatusBadge>}
      <div className="gr-dimmed">
        {formatNumber(left)} of {formatNumber(account.usage.credits.limit)} credits left
        {left > 0 && end !== null && (
          <>
            , at this pace out on <Time at={end} dateOnly />
          </>
        )}
        , renewed on <Time at={again} dateOnly />
      </div>
    </>
  );
}

function creditsLeft({ usage: { credits } }: Standing): number {
  return credits.remaining;
}

/** Accounts that do not run out come last. */
function lastsUntil(account: Standing): number {
  if (creditsLeft(account) === 0) return 0;
  const { runs_out_at: end } = account.forecast;
  return end === null ? Infinity : Date.parse(end);
}
