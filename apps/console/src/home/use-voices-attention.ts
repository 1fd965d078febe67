import { useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../api/client';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { useMay } from '../api/me';
import { accountsOf, type Attention, type Source } from './waiting';
import { dayFromNow, WATCH_MS } from '../components/watch';

const DAYS = 7;

/** Voices of which the customers are named. */
const NAMED = '50';

/** Voices that staff should listen to. Those without a verdict are among the queues, for staff who retry dead letters. */
export function useVoicesAttention(enabled: boolean): Source {
  const withStalled = !useMay()('queues.retry');
  const query = useQuery({
    queryKey: ['attention', 'voices'],
    queryFn: () => findVoices(withStalled),
    refetchInterval: WATCH_MS,
    enabled,
  });
  const calm = `${withStalled ? 'No review failed after its last attempt, and no' : 'No'} voice of the last ${DAYS} days was graded bad.`;
  return { title: 'Voices', query, calm };
}

async function findVoices(withStalled: boolean): Promise<Attention[]> {
  const stalled = { status: 'stalled' };
  const bad = { grade: 'bad', created_since: dayFromNow(-DAYS) };
  const list = (query: Record<string, string>) =>
    api.GET('/admin/voices', asQuery({ ...query, limit: NAMED }));
  const [stalledVoices, badVoices] = await Promise.all([withStalled ? list(stalled) : null, list(bad)]);
  return [
    ...attentionTo(stalledVoices, (count) => ({
      text: `${plural(count, 'voice')} without a verdict: the review failed after its last attempt`,
      search: stalled,
    })),
    ...attentionTo(badVoices, (count) => ({
      text: `${plural(count, 'voice')} of the last ${DAYS} days graded bad`,
      isEarly: true,
      search: bad,
    })),
  ];
}

function attentionTo(
  page: Schema['PageOfStaffVoiceResponse'] | null,
  describe: (count: number) => Omit<Attention, 'to'>,
): Attention[] {
  if (page === null || page.total === 0) return [];
  const waits = { ...describe(page.total), accounts: accountsOf(page.items), to: '/voices' };
  if (page.total > 1) return [waits];
  return [{ ...waits, to: `/voices/${page.items[0]!.voice_id}`, search: undefined }];
}
