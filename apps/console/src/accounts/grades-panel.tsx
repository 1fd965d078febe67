import { RECORDING_GRADES } from '@app/domain/reviews/review-state';
import { useQuery } from '@tanstack/react-query';
import { read, type Schema } from '../api/client';
import { Chart } from '../components/chart';
import { byDay, sumOf } from '../components/chart-days';
import { Empty, Loaded } from '../components/loading';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';

type Grades = Schema['GradesResponse'];

/** What the voices of an account were graded, by day. */
export function GradesPanel({ accountId }: { accountId: string }) {
  const query = useQuery(read(['grades', accountId], '/admin/accounts/{account_id}/grades', accountId));
  return (
    <Panel title="Grades over time">
      <Loaded query={query}>
        {(grades) =>
          grades.items.length === 0 ? (
            <Empty title="No voice was graded in the last 30 days" />
          ) : (
            <GradesChart grades={grades} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function GradesChart({ grades }: { grades: Grades }) {
  const counts = grades.items.map(({ day, grade, reviews }) => ({ day, kind: grade, count: reviews }));
  const chart = byDay(
    grades,
    counts,
    (grade) => ({ name: grade, ...(grade === 'bad' && { tone: 'bad' as const }) }),
    RECORDING_GRADES,
  );
  const parts = chart.series.map(({ name, values }) => `${formatNumber(sumOf(values))} ${name}`);
  const all = plural(sumOf(chart.series.map(({ values }) => sumOf(values))), 'verdict');
  return (
    <Chart
      label="Grades by day"
      summary={`${all} in the last 30 days: ${parts.join(', ')}.`}
      unit="verdicts"
      {...chart}
    />
  );
}
