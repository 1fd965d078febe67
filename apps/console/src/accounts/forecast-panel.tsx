import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read, type Schema } from '../api/client';
import { Loaded } from '../components/loading';
import { Banner } from '../components/banner';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';
import { UsageBar } from '../components/meter';
import type { AccountDetail } from './account-screen';

/** The credits of the billing period, and whether they last. */
export function ForecastPanel({ account: { id, usage } }: { account: AccountDetail }) {
  const { used, limit, period_start, period_end } = usage.credits;
  const query = useQuery(
    read(['forecast', id, used, limit], '/admin/accounts/{account_id}/usage/forecast', {
      path: { account_id: id },
    }),
  );
  return (
    <Panel
      title="Credits in this billing period"
      actions={
        <Link to="/accounts/$accountId/credits" params={{ accountId: id }}>
          Credits and ledger
        </Link>
      }
    >
      <Stack gap="sm">
        <UsageBar used={used} limit={limit} unit="credits" />
        <div>
          <strong>{formatNumber(Math.max(0, limit - used))}</strong> credits left from{' '}
          <Time at={period_start} dateOnly /> to <Time at={period_end} dateOnly />
        </div>
        <Loaded query={query} lines={1}>
          {(forecast) => <Forecast forecast={forecast} isOut={used >= limit} />}
        </Loaded>
      </Stack>
    </Panel>
  );
}

function Forecast({ forecast, isOut }: { forecast: Schema['UsageForecastResponse']; isOut: boolean }) {
  const { based_on_days, credits_per_day, used_at_period_end, runs_out_at, period_end } = forecast;
  if (isOut) {
    return (
      <Banner tone="bad" title="No credits are left.">
        Requests that cost credits are refused until <Time at={period_end} dateOnly />, or until more are
        granted.
      </Banner>
    );
  }
  const pace = `${plural(credits_per_day, 'credit')} a day over ${based_on_days === 1 ? 'the last day' : `the last ${based_on_days} days`}`;
  if (runs_out_at !== null) {
    return (
      <Banner
        tone="warn"
        title={
          <>
            At this pace out on <Time at={runs_out_at} dateOnly />
          </>
        }
      >
        {pace}; the period would cost {formatNumber(used_at_period_end)} credits.
      </Banner>
    );
  }
  return (
    <Banner tone="good" title="At this pace the credits last.">
      {pace}; about {formatNumber(used_at_period_end)} used on <Time at={period_end} dateOnly />.
    </Banner>
  );
}
