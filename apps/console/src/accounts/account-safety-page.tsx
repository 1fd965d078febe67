import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read, type Schema } from '../api/client';
import { accountTab } from './account-screen';
import { Chart } from '../components/chart';
import { byDay } from '../components/chart-days';
import { Facts, Empty, Loaded, Panel } from '../components/page';
import { formatNumber } from '../components/number';
import { ScannedAt, SafetyCards } from '../key-safety/safety-cards';

export { firstQueries } from './account-screen';

type Safety = Schema['AccountSafetyResponse'];

export default accountTab(function Safety({ account: { id } }) {
  const query = useQuery(read(['key-safety', id], '/admin/accounts/{account_id}/key-safety', id));
  return (
    <Loaded query={query} lines={6}>
      {(safety) => (
        <Stack>
          <SafetyCards cards={safety.cards} search={{ account_id: id }} />
          <ScorePanel safety={safety} />
        </Stack>
      )}
    </Loaded>
  );
});

function ScorePanel({ safety }: { safety: Safety }) {
  const { score, keys, findings, looked_at: lookedAt, days } = safety;
  const scores = days.map((each) => ({ ...each, kind: 'score' }));
  const chart = byDay(safety, scores, ['kind', 'score'], () => ({ name: 'score', tone: 'good' as const }));
  return (
    <Panel title="Score" gap="md">
      <Facts
        facts={[
          ['Now', score === null ? 'none: no key is enabled' : <strong>{`${score} of 100`}</strong>],
          ['Open findings', formatNumber(findings)],
          ['Enabled keys', formatNumber(keys)],
        ]}
      />
      <span className="gr-dimmed">
        <ScannedAt at={lookedAt} />
      </span>
      {days.length === 0 ? (
        <Empty title="No score yet">The first one appears once all keys have been checked.</Empty>
      ) : (
        <Chart label="Score by day" unit="points" summary={summaryOf(days)} {...chart} />
      )}
    </Panel>
  );
}

function summaryOf(days: Safety['days']): string {
  const [first, last] = [days[0]!, days.at(-1)!];
  const now = `${last.score} of 100 on ${last.day}`;
  return first === last ? `${now}.` : `${first.score} of 100 on ${first.day}, ${now}.`;
}
