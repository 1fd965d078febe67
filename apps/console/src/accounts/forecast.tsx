import { DAY_MS } from '@app/domain/common/utc-days';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read, type Schema } from '../api/client';
import { Answer, Loaded } from '../components/page';
import { Meter, paceOf } from '../components/meter';
import { formatNumber, plural } from '../components/number';
import { Stats } from '../components/stats';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import type { AccountDetail } from './account-screen';
import { toneOf } from './standing';
import { TRAFFIC_DAYS, trafficQuery, countAll, countRefused } from './refused-panel';

type Credits = AccountDetail['usage']['credits'];

/** Whether the credits of the billing period last, and the figures behind it. */
export function Forecast({ account: { id, usage } }: { account: AccountDetail }) {
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
        {(data) => <Sentence forecast={data} credits={credits} accountId={id} />}
      </Loaded>
      <Stats
        stats={[
          {
            label: 'Credits left',
            value: (
              <Link to="/accounts/$accountId/credits" params={{ accountId: id }}>
                {formatNumber(Math.max(0, limit - used))}
              </Link>
            ),
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

function Sentence({
  forecast: { based_on_days, credits_per_day, used_at_period_end, runs_out_at },
  credits: { used, limit, period_end },
  accountId,
}: {
  forecast: Schema['UsageForecastResponse'];
  credits: Credits;
  accountId: string;
}) {
  const may = useMay();
  const [action, label] = may('accounts.write') ? ['grant', 'Grant…'] : ['request', 'Request…'];
  const grant = (
    <Link to="/accounts/$accountId/credits" params={{ accountId }} search={{ do: action } as never}>
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
