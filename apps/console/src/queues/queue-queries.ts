import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client';

/** What operators watch is read again this often; what was read before stays until the answer is there. */
const WATCH_MS = 3_000;
/** A minute is the smallest part of the chart. */
const WATCH_FLOW_MS = 15_000;

export const overviewQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: () => unwrap(api.GET('/admin/queues')),
  refetchInterval: WATCH_MS,
});

export const workersQuery = queryOptions({
  queryKey: ['workers'],
  queryFn: () => unwrap(api.GET('/admin/queues/workers')),
  refetchInterval: WATCH_MS,
});

export const flowQuery = (minutes: string) =>
  queryOptions({
    queryKey: ['throughput', minutes],
    queryFn: () => unwrap(api.GET('/admin/queues/throughput', { params: { query: { minutes } as never } })),
    refetchInterval: WATCH_FLOW_MS,
  });
