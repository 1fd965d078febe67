import { useQuery } from '@tanstack/react-query';
import { fetchPart } from '../api/fetch-part';
import { WATCH_MS } from '../components/watch';
import type { Source } from './waiting';

/** What the checks of the operation have found. */
export function useChecksAttention(enabled: boolean): Source {
  const query = useQuery({
    queryKey: ['attention', 'checks'],
    queryFn: async () => (await fetchPart(() => import('./find-check-troubles'))).findCheckTroubles(),
    refetchInterval: WATCH_MS,
    enabled,
  });
  return { title: 'Checks', query, calm: 'Database, disks, backups and certificates are healthy.' };
}
