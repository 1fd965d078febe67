import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { useMay } from '../session/me';
import { AttentionPanel, type Attention } from './attention';
import { dayFromNow, WATCH_MS } from './watch';

const DAYS = 7;

/** Voices that staff should listen to. Those without a verdict are among the queues, for staff who retry dead letters. */
export function VoicesAttention() {
  const withStalled = !useMay()('queues.retry');
  const query = useQuery({
    queryKey: ['attention', 'voices'],
    queryFn: () => findVoices(withStalled),
    refetchInterval: WATCH_MS,
  });
  return (
    <AttentionPanel
      title="Voices"
      query={query}
      calm={`${withStalled ? 'No review failed after its last attempt, and no' : 'No'} voice of the last ${DAYS} days was graded bad.`}
    />
  );
}

async function findVoices(withStalled: boolean): Promise<Attention[]> {
  const stalled = { status: 'stalled' };
  const bad = { grade: 'bad', created_since: dayFromNow(-DAYS) };
  const count = async (query: Record<string, string>) =>
    (await unwrap(api.GET('/admin/voices', { params: { query: asQuery({ ...query, limit: '1' }) } }))).total;
  const [stalledCount, badCount] = await Promise.all([withStalled ? count(stalled) : 0, count(bad)]);
  const items: (Attention & { count: number })[] = [
    {
      count: stalledCount,
      text: `${plural(stalledCount, 'voice')} without a verdict: the review failed after its last attempt`,
      to: '/voices',
      search: stalled,
    },
    {
      count: badCount,
      text: `${plural(badCount, 'voice')} of the last ${DAYS} days graded bad`,
      isEarly: true,
      to: '/voices',
      search: bad,
    },
  ];
  return items.filter((item) => item.count > 0);
}
