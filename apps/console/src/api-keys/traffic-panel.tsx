import { DAY_MS } from '@app/domain/common/utc-days';
import { DaysChoice } from '../components/choice';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, type Schema } from '../api/client';
import { Chart } from '../components/chart';
import { dayPlace, DAYS_AXIS, instantPlace, INSTANTS_AXIS, isoDay } from '../components/chart-places';
import { Empty, Loaded } from '../components/loading';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';

const HOUR_MS = 3_600_000;

/** Requests of a key over time. */
export function TrafficPanel({ keyId }: { keyId: string }) {
  const [days, setDays] = useState(7);
  const query = useQuery(
    read(['traffic', keyId, days], '/admin/api-keys/{key_id}/traffic', {
      path: { key_id: keyId },
      query: { days },
    }),
  );
  const select = <DaysChoice days={days} choices={[1, 7, 30]} onPick={setDays} />;
  return (
    <Panel title="Requests" actions={select}>
      <Loaded query={query}>
        {(traffic) =>
          traffic.hours.length === 0 ? (
            <Empty title="No requests in this time" />
          ) : (
            <Chart
              label="Requests over time"
              summary={summaryOf(traffic)}
              unit="requests"
              {...toChart(traffic)}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Hours of a day or two, days of a longer time. */
function toChart({ days, since, hours }: Schema['TrafficResponse']) {
  const byHour = days <= 2;
  const step = byHour ? HOUR_MS : DAY_MS;
  const start = Math.floor(Date.parse(since) / step) * step;
  const times = Array.from(
    { length: Math.floor((Date.now() - start) / step) + 1 },
    (_, place) => start + place * step,
  );
  const [good, rest, bad] = [times.map(() => 0), times.map(() => 0), times.map(() => 0)];
  for (const { hour, outcome, requests } of hours) {
    const place = Math.floor((Date.parse(hour) - start) / step);
    if (place in times)
      (outcome === 'served' ? good : outcome === 'rejected' ? rest : bad)[place]! += requests;
  }
  return {
    axis: byHour ? INSTANTS_AXIS : DAYS_AXIS,
    places: times.map((time) => (byHour ? instantPlace(time) : dayPlace(isoDay(time)))),
    series: [
      { id: 'good', name: 'served', values: good, tone: 'good' as const },
      { id: 'rest', name: 'not found or not valid', values: rest, tone: 'rest' as const },
      { id: 'bad', name: 'refused or failed', values: bad, tone: 'bad' as const },
    ],
  };
}

function summaryOf({ hours, days }: Schema['TrafficResponse']): string {
  const sum = (is: (outcome: string) => boolean) =>
    hours.filter(({ outcome }) => is(outcome)).reduce((all, { requests }) => all + requests, 0);
  const served = sum((outcome) => outcome === 'served');
  const rejected = sum((outcome) => outcome === 'rejected');
  const failed = sum((outcome) => outcome === 'failed');
  const refused = sum(() => true) - served - rejected - failed;
  return `${plural(served, 'request')} served, ${formatNumber(refused)} refused, ${formatNumber(rejected)} answered with what was wrong (such as 404), ${formatNumber(failed)} failed in ${days === 1 ? '24 hours' : `${days} days`}.`;
}
