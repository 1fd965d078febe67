import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { asQuery } from '../components/list-search';
import { forMeQuery } from '../home/use-approvals-attention';
import { WATCH_MS } from '../components/watch';
import { overviewQuery } from '../queues/queue-queries';
import { summaryQuery } from '../review-desk/desk-queries';
import { useMay } from '../api/me';
import type { CountName } from './navigation';

/** The numbers beside the entries of the menu. Each role sees voices that need a person once: as dead letters if it may. */
export function useCounts(): Partial<Record<CountName, number>> {
  const may = useMay();
  const seesQueues = may('queues.read');
  const overview = useQuery({ ...overviewQuery, enabled: seesQueues, refetchInterval: WATCH_MS });
  const stalled = useQuery({
    queryKey: ['stalled-count'],
    queryFn: async () => {
      const query = asQuery({ status: 'stalled', limit: '1' });
      return (await api.GET('/admin/voices', query)).total;
    },
    enabled: !seesQueues && may('voices.read'),
    refetchInterval: WATCH_MS,
  });
  const desk = useQuery({ ...summaryQuery, enabled: may('voices.review'), refetchInterval: WATCH_MS });
  const approvals = useQuery({
    ...forMeQuery,
    enabled: may('approvals.decide'),
    refetchInterval: WATCH_MS,
  });
  return {
    approvals: approvals.data?.total,
    review_desk: desk.data?.waiting,
    dead_letters: overview.data?.dead_letters,
    stalled_voices: stalled.data,
  };
}
