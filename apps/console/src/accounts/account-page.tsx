import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { DAY_MS } from '@app/domain/common/utc-days';
import { readPage, read, type Schema, useMay, type FirstQueries } from '../api/client';
import { OWN_KEY_COLUMNS } from '../api-keys/key-columns';
import { Facts, Loaded, Panel, Split, Answer, Stats } from '../components/page';
import { asQuery } from '../components/list-search';
import { formatNumber, plural } from '../components/number';
import { LoadedTable } from '../components/simple-table';
import { Time } from '../components/inline';
import { NewestEvents } from '../audit-log/newest-events';
import { AccountManagerName } from './account-badge';
import { toneOf } from './standing';
import { accountTab, firstQueries as ofAccount, type AccountDetail } from './account-screen';
import { RefusedPanel, TRAFFIC_DAYS, trafficQuery, countAll, countRefused } from './refused-panel';
import { RisingCredits } from './rising-credits';
import { SpentPanel } from './spent-panel';
import { Meter, paceOf } from '../components/meter';

export const firstQueries: FirstQueries = (place) => {
  const { accountId = '' } = place.params;
  return [...ofAccount(place), trafficQuery(accountId, TRAFFIC_DAYS), keysQuery(accountId)];
};

export default accountTab(function Overview({ account }) {
  return (
    <Split side={<Side account={account} />}>
      <Forecast account={account} />
      <KeysPanel account={account} />
      <SpentPanel accountId={account.id} />
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
      actions={<Link to={`/accounts/${id}/api-keys`}>All keys</Link>}
    >
      <LoadedTable name="Keys" query={query} columns={COLUMNS} />
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

function Forecast({ account }: { account: AccountDetail }) {
  const { id, usage } = account;
  const { credits, voices } = usage;
  const { used, limit } = credits;
  const forecast = useQuery(
    read(['forecast', id, used, limit], '/admin/accounts/{account_id}/usage/forecast', id),
  );
  const traffic = useQuery(trafficQuery(id, TRAFFIC_DAYS)).data;
  const period = { start: credits.period_start, end: credits.period_end };
  const refused = traffic && countRefused(traffic);
  return (
    <>
      <Loaded query={forecast} lines={2}>
        {(data) => (
          <>
            <Sentence forecast={data} credits={credits} accountId={id} />
            {used > 0 && limit > 0 && <RisingCredits account={account} forecast={data} />}
          </>
        )}
      </Loaded>
      <Stats
        stats={[
          {
            label: 'Credits left',
            value: <Link to={`/accounts/${id}/credits`}>{formatNumber(Math.max(0, limit - used))}</Link>,
            note: (
              <>
                {formatNumber(used)} of {formatNumber(limit)} used
                <Meter
                  share={limit === 0 ? 1 : used / limit}
                  pace={paceOf(period)}
                  tone={forecast.data && toneOf({ used, limit, runs_out_at: forecast.data.runs_out_at })}
                  label={`${formatNumber(used)} of ${formatNumber(limit)} credits`}
                />
              </>
            ),
          },
          traffic !== undefined && { label: 'Requests, 30 days', value: formatNumber(countAll(traffic)) },
          refused !== undefined && {
            label: 'Refused, 30 days',
            value: formatNumber(refused),
            ...(refused > 0 && {
              value: (
                <Link to="/api-keys" search={{ account_id: id, refused_since: traffic!.from } as never}>
                  {formatNumber(refused)}
                </Link>
              ),
              tone: 'bad' as const,
            }),
          },
          { label: 'Voices', value: formatNumber(voices.used), note: `of ${formatNumber(voices.limit)}` },
        ]}
      />
    </>
  );
}

function Sentence(props: {
  forecast: Schema['UsageForecastResponse'];
  credits: AccountDetail['usage']['credits'];
  accountId: string;
}) {
  const { based_on_days, credits_per_day, used_at_period_end, runs_out_at } = props.forecast;
  const { used, limit, period_end } = props.credits;
  const may = useMay();
  const [action, label] = may('accounts.write') ? ['grant', 'Grant…'] : ['request', 'Request…'];
  const grant = (
    <Link to={`/accounts/${props.accountId}/credits`} search={{ do: action } as never}>
      {label}
    </Link>
  );
  if (used >= limit)
    return (
      <Answer sentence="No credits are left.">
        Requests that cost credits are refused until <Time at={period_end} dateOnly />, or until more are
        granted. {grant}
      </Answer>
    );
  const pace = `${plural(credits_per_day, 'credit')} a day over ${based_on_days === 1 ? 'the last day' : `the last ${based_on_days} days`}`;
  if (credits_per_day === 0)
    return (
      <Answer sentence="No credits are used at the moment.">
        They renew on <Time at={period_end} dateOnly />.
      </Answer>
    );
  if (runs_out_at === null)
    return (
      <Answer sentence="At this pace the credits last.">
        {pace}; about {formatNumber(used_at_period_end)} used when they renew on{' '}
        <Time at={period_end} dateOnly />.
      </Answer>
    );
  const early = Math.ceil((Date.parse(period_end) - Date.parse(runs_out_at)) / DAY_MS);
  return (
    <Answer
      sentence={
        <>
          At this pace the credits end on <Time at={runs_out_at} dateOnly />, {plural(early, 'day')} before
          they renew.
        </>
      }
    >
      {pace}; the period would cost {formatNumber(used_at_period_end)}. A grant of{' '}
      {formatNumber(used_at_period_end - limit)} would last until then. {grant}
    </Answer>
  );
}
