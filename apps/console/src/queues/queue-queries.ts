import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client';

export const overviewQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: () => unwrap(api.GET('/admin/queues')),
});

export const waitingAccountsQuery = queryOptions({
  queryKey: ['waiting-accounts'],
  queryFn: () => unwrap(api.GET('/admin/queues/accounts')),
});

export const timesQuery = (work: 'reviews' | 'webhooks', minutes: string) =>
  queryOptions({
    queryKey: ['queue-times', work, minutes],
    queryFn: () => unwrap(api.GET('/admin/queues/times', { params: { query: { work, minutes } as never } })),
  });

export const timersQuery = queryOptions({
  queryKey: ['timers'],
  queryFn: () => unwrap(api.GET('/admin/timers')),
});

export const workersQuery = queryOptions({
  queryKey: ['workers'],
  queryFn: () => unwrap(api.GET('/admin/queues/workers')),
});

export const flowQuery = (minutes: string) =>
  queryOptions({
    queryKey: ['throughput', minutes],
    queryFn: () => unwrap(api.GET('/admin/queues/throughput', { params: { query: { minutes } as never } })),
  });
