import { useQueries } from '@tanstack/react-query';
import { durationText } from '@app/domain/common/duration-text';
import { verdictsOf } from '@app/domain/reviews/queue-verdict';
import { api, queryClient, type Schema, useMay, useMe } from '../api/client';
import { fetchPart } from '../api/fetch-part';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { dayFromNow, WATCH_MS } from '../components/watch';
import { summaryQuery } from '../review-desk/desk-queries';
import { checkTroubles } from './check-troubles';
import { findApprovals } from './find-approvals';
import { EXPIRY_DAYS, findKeys } from './find-keys';
import { accountsOf, type Attention, type Source } from './waiting';
import { overviewQuery, timersQuery, workersQuery } from '../queues/queue-queries';

/** A worker that has died is on the first screen within seconds of its last heartbeat being missed. */
const OFTEN_MS = 5_000;
const OVERDUE = { overdue: 'true' };
const FAILING = { manager: 'me', status: 'active', webhooks_failing: 'true' };
const DAYS = 7;
const NAMED = '50';

interface Part extends Omit<Source, 'query'> {
  shown: boolean;
  find: () => Promise<Attention[]>;
  queryKey?: readonly string[];
  everyMs?: number;
}

/** What waits for the reader, by the part of the product; what is equally urgent stays in this order. */
export function useSources(): Source[] {
  const parts = useParts().filter(({ shown }) => shown);
  const queries = useQueries({
    queries: parts.map(({ title, find, queryKey = ['attention', title], everyMs = WATCH_MS }) => ({
      queryKey,
      queryFn: find,
      refetchInterval: everyMs,
    })),
  });
  return parts.map(({ title, calm }, place) => ({ title, calm, query: queries[place]! }));
}

function useParts(): Part[] {
  const may = useMay();
  const withLetters = may('queues.retry');
  const withExpiring = useMe().role !== 'account_manager';
  return [
    {
      title: 'Checks',
      shown: may('checks.read'),
      find: async () => checkTroubles((await api.GET('/admin/checks')).items),
      calm: 'Database, disks, backups and certificates are healthy.',
    },
    {
      title: 'Queues',
      shown: may('queues.read'),
      find: () => findQueueTroubles(withLetters),
      everyMs: OFTEN_MS,
      calm: `Queues keep up, every worker works and every timer runs${withLetters ? '; no review failed after its last attempt' : ''}.`,
    },
    {
      title: 'Webhooks',
      // Those who read the queues have them there.
      shown: may('accounts.write') && !may('queues.read'),
      find: findReceivers,
      calm: 'Every receiver of your accounts accepts its webhooks.',
    },
    {
      title: 'API keys',
      shown: may('keys.write'),
      find: () => findKeys(withExpiring),
      calm: `No allow-list has refused a request since yesterday or is about to go back. No key was refused for credits, ${withExpiring ? `expires within ${EXPIRY_DAYS} days, ` : ''}or is near its limit or the end of a rotation.`,
    },
    {
      title: 'Voices',
      shown: may('voices.read'),
      find: () => findVoices(!withLetters),
      calm: `${withLetters ? 'No' : 'No review failed after its last attempt, and no'} voice of the last ${DAYS} days was graded bad.`,
    },
    {
      title: 'Review desk',
      shown: may('voices.review'),
      find: findAtDesk,
      calm: 'No voice waits at the review desk.',
    },
    {
      title: 'Approvals',
      shown: may('approvals.decide'),
      find: findApprovals,
      queryKey: ['approvals', 'attention'],
      calm: 'Nothing waits for your approval.',
    },
    {
      title: 'Alerts',
      shown: may('alerts.write'),
      find: async () => (await fetchPart(() => import('./find-unheard'))).findUnheard(),
      calm: 'Every alert rule that is on reaches a contact.',
    },
  ];
}

async function findAtDesk(): Promise<Attention[]> {
  const { waiting, overdue } = await queryClient.fetchQuery(summaryQuery);
  if (waiting === 0) return [];
  const query = asQuery({ ...(overdue > 0 && OVERDUE), limit: NAMED });
  const { items } = await api.GET('/admin/review-desk', query);
  const accounts = accountsOf(items);
  const at = plural(waiting, 'voice waits', 'voices wait');
  if (overdue === 0)
    return [
      { text: `${at} at the review desk`, isEarly: true, accounts, to: '/review-desk', verb: 'Listen' },
    ];
  const text = `${plural(overdue, 'voice is', 'voices are')} overdue at the review desk`;
  return [
    { text, detail: `${at} there in all.`, accounts, to: '/review-desk', search: OVERDUE, verb: 'Listen' },
  ];
}

async function findReceivers(): Promise<Attention[]> {
  const query = asQuery({ ...FAILING, limit: NAMED });
  const { items, total } = await api.GET('/admin/accounts', query);
  const [first] = items;
  if (first === undefined) return [];
  return [
    {
      text: `Webhooks of ${plural(total, 'customer')} fail`,
      accounts: accountsOf(items.map((account) => ({ account }))),
      ...(total === 1 ? { to: `/accounts/${first.id}/webhooks` } : { to: '/accounts', search: FAILING }),
    },
  ];
}

/** Voices that staff should listen to. Those without a verdict are among the queues, for staff who retry dead letters. */
async function findVoices(withStalled: boolean): Promise<Attention[]> {
  const stalled = { status: 'stalled' };
  const bad = { grade: 'bad', created_since: dayFromNow(-DAYS) };
  const list = (query: Record<string, string>) =>
    api.GET('/admin/voices', asQuery({ ...query, limit: NAMED }));
  const [stalledVoices, badVoices] = await Promise.all([withStalled ? list(stalled) : null, list(bad)]);
  return [
    ...attentionTo(stalledVoices, (count) => ({
      text: `${plural(count, 'voice')} without a verdict: the review failed after its last attempt`,
      search: stalled,
    })),
    ...attentionTo(badVoices, (count) => ({
      text: `${plural(count, 'voice')} of the last ${DAYS} days graded bad`,
      isEarly: true,
      search: bad,
    })),
  ];
}

function attentionTo(
  page: Schema['PageOfStaffVoiceResponse'] | null,
  describe: (count: number) => Omit<Attention, 'to'>,
): Attention[] {
  if (page === null || page.total === 0) return [];
  const waits = { ...describe(page.total), accounts: accountsOf(page.items), to: '/voices' };
  if (page.total > 1) return [waits];
  return [{ ...waits, to: `/voices/${page.items[0]!.voice_id}`, search: undefined }];
}

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
    const detail = pause === null ? undefined : [{ by: pause.by }, `: ${pause.reason}`];
    return [{ text: `${name} is paused`, isEarly: true, detail, to: '/timers' }];
  }
  if (state !== 'late') return [];
  const detail = every_secs ? `It should run every ${durationText(every_secs)}.` : undefined;
  if (last === null) return [{ text: `${name} has never run`, detail, to: '/timers' }];
  const secs = (Date.now() - Date.parse(last.began_at)) / 1_000;
  return [{ text: `${name} has not run for ${durationText(secs)}`, detail, to: '/timers' }];
}
