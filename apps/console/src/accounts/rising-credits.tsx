import { shortDayText, weekdayText } from '@app/domain/common/date-text';
import { DAY_MS, utcDay } from '@app/domain/common/utc-days';
import { Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../api/client';
import { sumOf } from '../components/chart-days';
import { Plot, Swatch } from '../components/chart-lines';
import { listDays } from '../components/chart-places';
import { niceTop, PLOT } from '../components/chart-rows';
import { formatNumber } from '../components/number';
import type { AccountDetail } from './account-screen';
import { usageQuery } from './spent-panel';

const USED = 'var(--d1)';
const EVEN = 'var(--ink-3)';
const LIMIT = 'var(--bad-mark)';
/** Below the plot: days and what the lines are. */
const WORDS = 52;

/** The credits of a billing period as they add up: until now, and then at the pace of the forecast until they renew. */
export function RisingCredits(props: { account: AccountDetail; forecast: Schema['UsageForecastResponse'] }) {
  const { used_at_period_end, runs_out_at } = props.forecast;
  const { used, limit, period_start, period_end } = props.account.usage.credits;
  const [start, now, end] = [Date.parse(period_start), Date.now(), Date.parse(period_end)];
  const { data, isError } = useQuery(
    usageQuery(props.account.id, 'operation', { from: utcDay(start), to: utcDay(now) }),
  );
  if (isError) return null;
  if (data === undefined) return <Skeleton height={PLOT + WORDS} role="status" aria-label="Loading" />;
  const top = niceTop(Math.max(limit, used, used_at_period_end));
  const x = (at: number) => (100 * (at - start)) / (end - start);
  const y = (value: number) => 100 - (100 * value) / top;
  const all = [...data.series, data.others];
  let sum = 0;
  const course = listDays(data.from, data.to)
    .slice(0, -1)
    .map((day, turn) => {
      sum += sumOf(all.map(({ credits }) => credits[turn] ?? 0));
      return `${x(Date.parse(day) + DAY_MS)},${y(Math.min(sum, used))}`;
    });
  const line = ['0,100', ...course, `${x(now)},${y(used)}`].join(' ');
  const out = runs_out_at === null ? null : Date.parse(runs_out_at);
  return (
    <figure className="gr-chart" aria-label="Credits of this billing period as they add up">
      <div className="gr-lines" aria-hidden>
        <Plot
          top={top}
          words={
            out !== null && (
              <b style={{ right: `${100 - x(out)}%`, top: `${y(limit / 2)}%` }}>out on {weekdayText(out)}</b>
            )
          }
        >
          {out !== null && <path d={`M${x(out)} 100V${y(limit)}H100V100`} fill="var(--bad-bg)" />}
          <polyline points={`${line} ${x(now)},100`} fill="var(--good-bg)" />
          <path d={`M0 100L100 ${y(limit)}`} stroke={EVEN} strokeDasharray="1 3" />
          <path d={`M0 ${y(limit)}H100`} stroke={LIMIT} strokeDasharray="4 3" />
          <path d={`M${x(now)} 0V100`} stroke="var(--ink-2)" />
          <polyline points={line} stroke={USED} strokeWidth={1.75} />
          <path
            d={`M${x(now)} ${y(used)}L100 ${y(used_at_period_end)}`}
            stroke={USED}
            strokeDasharray="3 3"
            strokeWidth={1.75}
          />
        </Plot>
        <Group justify="space-between" ml={52} aria-hidden>
          <span>{shortDayText(start)}</span>
          <span>{shortDayText(end)}, renewed</span>
        </Group>
      </div>
      <Group gap="3px 16px" ml={52} fz="sm">
        <span>
          <Swatch colour={USED} /> used {formatNumber(used)}, and forecast
        </span>
        <span>
          <Swatch colour={EVEN} /> even pace
        </span>
        <span>
          <Swatch colour={LIMIT} /> limit
        </span>
      </Group>
    </figure>
  );
}
