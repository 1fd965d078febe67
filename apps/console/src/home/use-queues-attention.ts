import { useQuery } from '@tanstack/react-query';
import { api, type Schema, queryClient } from '../api/client';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { durationText } from '@app/domain/common/duration-text';
import { overviewQuery, timersQuery, workersQuery } from '../queues/queue-queries';
import { verdictsOf } from '@app/domain/reviews/queue-verdict';
import { useMay } from '../api/me';
import { accountsOf, type Attention, type Source } from './waiting';

/** A worker that has died is on the first screen within seconds of its last heartbeat being missed. */
const OFTEN_MS = 5_000;
/** Dead letters of which the customers are named. */
const NAMED = '50';

/** Queues that lag, workers that do not work, and for those who may retry them, dead letters. */
export function useQueuesAttention(enabled: boolean): Source {
  const withLetters = useMay()('queues.retry');
  const query = useQuery({
    queryKey: ['attention', 'queues'],
    queryFn: () => findTroubles(withLetters),
    refetchInterval: OFTEN_MS,
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
  const verdicts = verdictsOf(overview, workers.items);
  return [
    ...(withLetters ? await findLetters(overview) : []),
    ...verdicts
      .filter(({ tone }) => tone !== 'good')
      .map(({ tone, ...verdict }) => ({ ...verdict, isEarly: tone === 'warn', to: '/queues' })),
    // Without a worker all of them are late.
    ...(verdicts.some(({ isOutage }) => isOutage) ? [] : timers.items.flatMap(timerTroubles)),
  ];
}

async function findLetters({ dead_letters: count }: Schema['OverviewResponse']): Promise<Attention[]> {
  if (count === 0) return [];
  const { items } = await api.GET('/admin/dead-letters', asQuery({ limit: NAMED }));
  return [
    {
      text: plural(count, 'dead letter'),
      accounts: accountsOf(items),
      detail: 'Reviews that failed after their last attempt.',
      to: '/dead-letters',
      verb: 'Try again…',
    },
  ];
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
  const detail = every_secs ? `It should run every ${durationText(every_secs)}.` : undefined;
  if (last === null) return [{ text: `${timer} has never run`, detail, to: '/timers' }];
  const secs = (Date.now() - Date.parse(last.began_at)) / 1_000;
  return [{ text: `${timer} has not run for ${durationText(secs)}`, detail, to: '/timers' }];
}
