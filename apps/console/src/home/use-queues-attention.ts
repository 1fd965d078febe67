import { useQuery } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { plural } from '../components/number';
import { durationText } from '../queues/duration';
import { useMay } from '../session/me';
import type { Attention, Source } from './attention';
import { WATCH_MS } from './watch';

/** A job that waits for longer than this keeps a customer waiting. */
const SLOW_SECS = 60;

/** Queues that lag, workers that do not work, and for those who may retry them, dead letters. */
export function useQueuesAttention(enabled: boolean): Source {
  const withLetters = useMay()('queues.retry');
  const query = useQuery({
    queryKey: ['attention', 'queues'],
    queryFn: () => findTroubles(withLetters),
    refetchInterval: WATCH_MS,
    enabled,
  });
  const calm = `Queues keep up, and every worker works${withLetters ? '; no review failed after its last attempt' : ''}.`;
  return { title: 'Queues', query, calm };
}

async function findTroubles(withLetters: boolean): Promise<Attention[]> {
  const [overview, workers] = await Promise.all([
    unwrap(api.GET('/admin/queues')),
    unwrap(api.GET('/admin/queues/workers')),
  ]);
  return [
    ...(withLetters ? lettersIn(overview) : []),
    ...overview.queues.flatMap(troublesOf),
    ...relayTroubles(overview),
    ...workerTroubles(workers.items),
  ];
}

function lettersIn({ dead_letters: count }: Schema['OverviewResponse']): Attention[] {
  if (count === 0) return [];
  return [
    {
      text: plural(count, 'dead letter'),
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
  if (!reachable) return [{ text: `${name} does not respond`, to: '/queues' }];
  if (paused) return [{ text: `${name} is paused`, to: '/queues' }];
  if (secs === null || secs < SLOW_SECS) return [];
  return [{ text: `A job in ${name} has been waiting for ${durationText(secs)}`, to: '/queues' }];
}

function relayTroubles({ relay }: Schema['OverviewResponse']): Attention[] {
  if (relay.failing === 0 && relay.oldest_secs < SLOW_SECS) return [];
  const text = `${plural(relay.messages, 'job')} not in a queue yet, the oldest for ${durationText(relay.oldest_secs)}`;
  return [{ text, detail: relay.last_error ?? undefined, to: '/queues' }];
}

function workerTroubles(workers: Schema['WorkerResponse'][]): Attention[] {
  if (workers.length === 0) return [{ text: 'No worker runs', to: '/queues' }];
  return workers
    .filter(({ health }) => health === 'stuck' || health === 'silent')
    .map(({ name, health }) => ({ text: `Worker ${name} is ${health}`, to: '/queues' }));
}
