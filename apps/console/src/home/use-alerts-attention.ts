import { useQuery } from '@tanstack/react-query';
import type { Source } from './attention';
import { WATCH_MS } from './watch';

/** Alert rules that are on and reach no contact of the installation. */
export function useAlertsAttention(enabled: boolean): Source {
  const query = useQuery({
    queryKey: ['attention', 'alerts'],
    queryFn: async () => (await import('./alert-readiness')).findUnheard(),
    refetchInterval: WATCH_MS,
    enabled,
  });
  return { title: 'Alerts', query, calm: 'Every alert rule that is on reaches a contact.' };
}
