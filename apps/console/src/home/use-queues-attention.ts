import { useQuery } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { queryClient } from '../api/query-client';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { durationText } from '../queues/duration';
import { overviewQuery, timersQuery, workersQuery } from '../queues/queue-queries';
import { useMay } from '../session/me';
import { accountsOf, type Attention, type Source } from './attention';
import { WATCH_MS } from './watch';

/** A job that waits for longer than this keeps a customer waiting. */
const SLOW_SECS = 60;
/** Dead letters of which the customers are named. */
const NAMED = '50';

/** Queues that lag, workers that do not work, and for those who may retry them, dead letters. */
export function useQueuesAttention(enabled: boolean): Source {
  const withLetters = useMay()('queues.retry');
  const query = useQuery({
    queryKey: ['attention', 'queues'],
    queryFn: () => findTroubles(withLetters),
    refetchInterval: WATCH_MS,
    enabled,
  });
  const calm = `Queues keep up, every worker works and every timer runs${withLetters ? '; no review failed after its last attempt' : ''}.`;
  return { title: 'Queues', query, calm };
}

async function findTroubles(withLetters: boolean): Promise<Attention[]> {
  const [overview, workers, timers] = await Promise.all([
    // The menu reads it too.
    queryClient.fetchQuery(overviewQuery),
    queryClient.fetchQuery(workersQuery),
    queryClient.fetchQuery(timersQuery),
  ]);
  return [
    ...(withLetters ? await findLetters(overview) : []),
    ...overview.queues.flatMap(troublesOf),
    ...relayTroubles(overview),
    ...workerTroubles(workers.items),
    // Without a worker all of them are late.
    ...(workers.items.length === 0 ? [] : timers.items.flatMap(timerTroubles)),
  ];
}

async function findLetters({ dead_letters: count }: Schema['OverviewResponse']): Promise<Attention[]> {
  if (count === 0) return [];
  const { items } = await unwrap(
    api.GET('/admin/dead-letters', { params: { query: asQuery({ limit: NAMED }) } }),
  );
  return [
    {
      text: plural(count, 'dead letter'),
      accounts: accountsOf(items),
      detail: 'Reviews that failed after their last attempt.',
      to: '/dead-letters',
    },
  ];
}

function troublesOf({
  name,
  reachable,
  paused,
  oldest_waiting_secs: secs,
}: Schema['QueueResponse']): Attention[] {
  if (!reachable) return [{ text: `${name} does not respond`, isOutage: true, to: '/queues' }];
  if (paused) return [{ text: `${name} is paused`, to: '/queues' }];
  if (secs === null || secs < SLOW_SECS) return [];
  return [{ text: `A job in ${name} has been waiting for ${durationText(secs)}`, to: '/queues' }];
}

function relayTroubles({ relay }: Schema['OverviewResponse']): Attention[] {
  if (relay.failing === 0 && relay.oldest_secs < SLOW_SECS) return [];
  const text = `${plural(relay.messages, 'job')} not in a queue yet, the oldest for ${durationText(relay.oldest_secs)}`;
  return [{ text, detail: relay.last_error ?? undefined, to: '/queues' }];
}

function timerTroubles({
  name,
  state,
  last,
  error,
  pause,
  every_secs,
}: Schema['TimerResponse']): Attention[] {
  const timer = `The timer ${name}`;
  if (state === 'failing') return [{ text: `${timer} fails`, detail: error?.message, to: '/timers' }];
  if (state === 'paused') {
    const detail = pause === null ? undefined : `${pause.by}: ${pause.reason}`;
    return [{ text: `${timer} is paused`, isEarly: true, detail, to: '/timers' }];
  }
  if (state !== 'late') return [];
  const detail = every_secs === null ? undefined : `It should run every ${durationText(every_secs)}.`;
  if (last === null) return [{ text: `${timer} has never run`, detail, to: '/timers' }];
  const secs = (Date.now() - Date.parse(last.began_at)) / 1_000;
  return [{ text: `${timer} has not run for ${durationText(secs)}`, detail, to: '/timers' }];
}

function workerTroubles(workers: Schema['WorkerResponse'][]): Attention[] {
  if (workers.length === 0) return [{ text: 'No worker is running', isOutage: true, to: '/queues' }];
  const quiet = workers.filter((worker) => worker.quiet !== null);
  const unable = workers.filter(({ health }) => health === 'stuck' || health === 'silent');
  return [
    ...unable.map(({ name, health }) => ({ text: `Worker ${name} is ${health}`, to: '/queues' })),
    ...quiet.map(({ name, quiet: order }) => ({
      text: `Worker ${name} is quiet: it takes nothing new`,
      isEarly: quiet.length < workers.length,
      detail: `${order?.by}: ${order?.reason}`,
      to: '/queues',
    })),
  ];
}
