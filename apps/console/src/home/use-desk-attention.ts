import { useQuery } from '@tanstack/react-query';
import { api, queryClient } from '../api/client';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { summaryQuery } from '../review-desk/desk-queries';
import { accountsOf, type Attention, type Source } from './waiting';
import { WATCH_MS } from '../components/watch';

const OVERDUE = { overdue: 'true' };
/** Voices of which the customers are named. */
const NAMED = '50';

/** Voices that wait for a person to listen to them. */
export function useDeskAttention(enabled: boolean): Source {
  const query = useQuery({
    queryKey: ['attention', 'review-desk'],
    queryFn: findWaiting,
    refetchInterval: WATCH_MS,
    enabled,
  });
  return { title: 'Review desk', query, calm: 'No voice waits at the review desk.' };
}

async function findWaiting(): Promise<Attention[]> {
  const { waiting, overdue } = await queryClient.fetchQuery(summaryQuery);
  if (waiting === 0) return [];
  const query = asQuery({ ...(overdue > 0 && OVERDUE), limit: NAMED });
  const { items } = await api.GET('/admin/review-desk', query);
  const accounts = accountsOf(items);
  const at = plural(waiting, 'voice waits', 'voices wait');
  if (overdue === 0)
    return [
      { text: `${at} at the review desk`, isEarly: true, accounts, to: '/review-desk', verb: 'Listen' },
    ];
  const text = `${plural(overdue, 'voice is', 'voices are')} overdue at the review desk`;
  return [
    { text, detail: `${at} there in all.`, accounts, to: '/review-desk', search: OVERDUE, verb: 'Listen' },
  ];
}
