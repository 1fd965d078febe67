import { read, readPage } from '../api/client';

export const overviewQuery = read(['queues'], '/admin/queues');

export const waitingAccountsQuery = read(['waiting-accounts'], '/admin/queues/accounts');

export const timesQuery = (work: 'reviews' | 'webhooks', minutes: string) => ({
  ...readPage(['queue-times', work, minutes], '/admin/queues/times', { work, minutes } as never),
  refetchInterval: 30_000,
});

export const timersQuery = read(['timers'], '/admin/timers');

export const workersQuery = read(['workers'], '/admin/queues/workers');

export const flowQuery = (minutes: string) =>
  readPage(['throughput', minutes], '/admin/queues/throughput', { minutes } as never);
