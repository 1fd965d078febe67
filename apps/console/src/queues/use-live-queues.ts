import { useDocumentVisibility } from '@mantine/hooks';
import type { QueryKey } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flowQuery, overviewQuery, workersQuery } from './queue-queries';
import { queryClient, refresh, withNames } from '../api/client';

/** While no events arrive, the screen polls this often and tries to reconnect. */
const ASK_AGAIN_MS = 5_000;

/**
 * Receives changes of the queues from the server, and polls while it does not. What was read stays until
 * something else has arrived. A hidden window receives nothing.
 *
 * @returns whether the server sends right now
 */
export function useLiveQueues(minutes: string): boolean {
  const [isLive, setIsLive] = useState(true);
  const isVisible = useDocumentVisibility() === 'visible';
  useEffect(() => {
    if (!isVisible) return undefined;
    let source = open(minutes, setIsLive);
    const timer = setInterval(() => {
      if (source.readyState === EventSource.OPEN) return;
      void refresh(overviewQuery.queryKey, workersQuery.queryKey, flowQuery(minutes).queryKey);
      // The browser does not reconnect after a refused connection.
      if (source.readyState === EventSource.CLOSED) source = open(minutes, setIsLive);
    }, ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      source.close();
    };
  }, [minutes, isVisible]);
  return isLive;
}

function open(minutes: string, onChange: (isLive: boolean) => void): EventSource {
  const source = new EventSource(`/admin/queues/events?minutes=${minutes}`);
  const keep = (event: string, queryKey: QueryKey) =>
    source.addEventListener(event, ({ data }: MessageEvent<string>) => {
      queryClient.setQueryData(queryKey, withNames(JSON.parse(data)));
    });
  keep('overview', overviewQuery.queryKey);
  keep('workers', workersQuery.queryKey);
  keep('throughput', flowQuery(minutes).queryKey);
  source.addEventListener('open', () => onChange(true));
  source.addEventListener('error', () => onChange(false));
  return source;
}
