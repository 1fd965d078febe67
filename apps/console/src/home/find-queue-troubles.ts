import { api, type Schema, queryClient } from '../api/client';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { durationText } from '@app/domain/common/duration-text';
import { overviewQuery, timersQuery, workersQuery } from '../queues/queue-queries';
import { verdictsOf } from '@app/domain/reviews/queue-verdict';
import { accountsOf, type Attention } from './waiting';

const NAMED = '50';

/** Queues that lag, workers that do not work, and for those who may retry them, dead letters. */
export async function findQueueTroubles(withLetters: boolean): Promise<Attention[]> {
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

function timerTroubles(timer: Schema['TimerResponse']): Attention[] {
  const { state, last, error, pause, every_secs } = timer;
  const name = `The timer ${timer.name}`;
  if (state === 'failing') return [{ text: `${name} fails`, detail: error?.message, to: '/timers' }];
  if (state === 'paused') {
    const detail = pause === null ? undefined : `${pause.by}: ${pause.reason}`;
    return [{ text: `${name} is paused`, isEarly: true, detail, to: '/timers' }];
  }
  if (state !== 'late') return [];
  const detail = every_secs ? `It should run every ${durationText(every_secs)}.` : undefined;
  if (last === null) return [{ text: `${name} has never run`, detail, to: '/timers' }];
  const secs = (Date.now() - Date.parse(last.began_at)) / 1_000;
  return [{ text: `${name} has not run for ${durationText(secs)}`, detail, to: '/timers' }];
}
