import { clockText, localDay, timeText } from '../common/date-text';
import { durationText } from '../common/duration-text';
import { grouped, plural } from '../common/sentences';

interface Queue {
  name: string;
  jobs: string[];
  reachable: boolean;
  error: string | null;
  paused: boolean | null;
  pause?: { since: string; by: string; reason: string } | null;
  /** What waits for it, wherever: reviews wait in the outbox for their turn. */
  counts: { waiting: number } | null;
  oldest_waiting_secs: number | null;
}

interface Overview {
  /** Where the queues are. */
  backend: string;
  queues: Queue[];
  relay: { messages: number; oldest_secs: number; failing: number; last_error: string | null };
  failing_webhooks: { endpoints: number; since: string | null; accounts: { id: string; name: string }[] };
}

interface Worker {
  name: string;
  health: 'healthy' | 'stuck' | 'silent' | 'replaced';
  quiet: { by: string; reason: string } | null;
  seen_at: string;
  idle_secs: number;
}

/** A job that waits for longer than this keeps a customer waiting. */
export const SLOW_SECS = 60;

/** Text, and within it members of staff by their address. */
export type NamingText = string | readonly (string | { by: string })[];

const START = 'To start one: greenroom worker';

export interface Verdict {
  tone: 'bad' | 'warn' | 'good';
  text: string;
  /** Keeps every customer waiting. */
  isOutage?: boolean;
  detail?: NamingText;
  accounts?: { id: string; name: string }[];
}

/** Whether a worker takes jobs. */
export const isRunning = ({ health, quiet }: Pick<Worker, 'health' | 'quiet'>) =>
  health === 'healthy' && quiet === null;

/** What is wrong with the queues, worst first, each in a sentence; when nothing is, how they keep up. What follows from a cause is left out. */
export function verdictsOf(overview: Overview, workers: Worker[], now = Date.now()): Verdict[] {
  const reviews = overview.queues.find(({ jobs }) => jobs.includes('review-voice'));
  const secs = reviews?.oldest_waiting_secs ?? null;
  const since = secs === null ? '' : `, since ${clock(now - secs * 1_000)}`;
  const waiting = reviews?.counts?.waiting ?? 0;
  const waits =
    waiting === 0 ? 'no voice waits' : `${counted(waiting, 'voice waits', 'voices wait')}${since}`;
  const noWorker = !workers.some(isRunning);
  const found: Verdict[] = [
    ...(noWorker ? [outage(workers, waits)] : workers.flatMap(workerTrouble)),
    ...(isAway(overview)
      ? [backendTrouble(overview)]
      : [
          ...overview.queues.flatMap((queue) => queueTrouble(queue, noWorker)),
          ...relayTrouble(overview, noWorker),
        ]),
    ...receiverTrouble(overview),
  ];
  return found.length > 0
    ? found
    : [{ tone: 'good', text: `Queues keep up and every worker works: ${waits}.` }];
}

function outage(workers: Worker[], waits: string): Verdict {
  const alive = workers.filter(({ health }) => health !== 'replaced');
  const isQuiet = alive.some(({ health }) => health === 'healthy');
  const text = isQuiet ? 'Every worker is quiet' : 'No worker runs';
  const names = alive.flatMap(({ name, health, quiet, seen_at }, turn) => {
    const since = health === 'silent' ? ` since ${clock(Date.parse(seen_at))}` : '';
    return [
      turn === 0 ? '' : ', ',
      ...(quiet === null
        ? [`${name} is ${health}${since}`]
        : [`${name}: `, { by: quiet.by }, `, ${quiet.reason}`]),
    ];
  });
  const start = alive.length === 0 ? START : `. ${START}`;
  const detail = isQuiet ? names : [...names, start];
  return { tone: 'bad', text: `${text}: ${waits}.`, isOutage: true, detail };
}

function workerTrouble({ name, health, quiet, seen_at, idle_secs }: Worker): Verdict[] {
  if (health === 'silent')
    return [
      {
        tone: 'bad',
        text: `Worker ${name} is silent`,
        detail: `No heartbeat since ${clock(Date.parse(seen_at))}.`,
      },
    ];
  if (health === 'stuck')
    return [
      {
        tone: 'bad',
        text: `Worker ${name} is stuck`,
        detail: `It has started nothing for ${durationText(idle_secs)}.`,
      },
    ];
  if (quiet === null || health === 'replaced') return [];
  const text = `Worker ${name} is quiet: it takes nothing new`;
  return [{ tone: 'warn', text, detail: [{ by: quiet.by }, `: ${quiet.reason}`] }];
}

const isAway = ({ queues }: Overview) => queues.every(({ reachable }) => !reachable);

/** No queue responds: the part that all of them are in does not. */
function backendTrouble({ backend, queues }: Overview): Verdict {
  const text = `${backend === 'redis' ? 'Redis' : 'PostgreSQL'} does not respond: no review starts, and no webhook or alert is sent`;
  return { tone: 'bad', text, isOutage: true, detail: queues[0]?.error ?? undefined };
}

function queueTrouble(queue: Queue, noWorker: boolean): Verdict[] {
  const { name, reachable, paused, pause, error, counts, oldest_waiting_secs: secs } = queue;
  if (!reachable)
    return [{ tone: 'bad', text: `${name} does not respond`, isOutage: true, detail: error ?? undefined }];
  const jobs = counted(counts?.waiting ?? 0, 'job waits', 'jobs wait');
  if (paused) {
    const detail = pause
      ? ['By ', { by: pause.by }, `, since ${clock(Date.parse(pause.since))}: ${pause.reason}`]
      : undefined;
    return [{ tone: 'warn', text: `Paused: ${name}. ${jobs}, and none starts.`, detail }];
  }
  if (noWorker || secs === null || secs < SLOW_SECS) return [];
  return [{ tone: 'bad', text: `${name} is behind: ${jobs}, the oldest for ${durationText(secs)}` }];
}

function relayTrouble({ relay }: Overview, noWorker: boolean): Verdict[] {
  if (relay.failing === 0 && (noWorker || relay.oldest_secs < SLOW_SECS)) return [];
  const text = `${counted(relay.messages, 'job')} not in a queue yet, the oldest for ${durationText(relay.oldest_secs)}`;
  return [{ tone: 'bad', text, detail: relay.last_error ?? undefined }];
}

function receiverTrouble({ failing_webhooks: { endpoints, since, accounts } }: Overview): Verdict[] {
  if (endpoints === 0) return [];
  const text = counted(endpoints, 'webhook receiver fails', 'webhook receivers fail');
  const detail = since === null ? undefined : `Since ${clock(Date.parse(since))}.`;
  return [{ tone: 'bad', text, detail, accounts }];
}

const counted = (count: number, one: string, many?: string) => plural(count, one, many, grouped);

/** A time of today as 17:12, another with its day. */
function clock(ms: number): string {
  return localDay(ms) === localDay(Date.now()) ? clockText(ms) : timeText(ms);
}
