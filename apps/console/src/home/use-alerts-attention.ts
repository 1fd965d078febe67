import { useQuery } from '@tanstack/react-query';
import { fetchPart } from '../api/fetch-part';
import type { Source } from './waiting';
import { WATCH_MS } from '../components/watch';

/** Alert rules that are on and reach no contact of the installation. */
export function useAlertsAttention(enabled: boolean): Source {
  const query = useQuery({
    queryKey: ['attention', 'alerts'],
    queryFn: async () => (await fetchPart(() => import('./find-unheard'))).findUnheard(),
    refetchInterval: WATCH_MS,
    enabled,
  });
  return { title: 'Alerts', query, calm: 'Every alert rule that is on reaches a contact.' };
}
