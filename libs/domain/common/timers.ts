import { plural } from './sentences';

/** Something that runs again and again in every worker. */
export interface TimerRow {
  /** What it is for, as staff read it. */
  purpose: string;
  /** What was done to what a run counts, such as `expired` of "expired 14 previews". */
  verb: string;
  /** Why it cannot be paused; without this it can. */
  alwaysRuns?: string;
}

/** How often a worker records that it is alive. */
export const HEARTBEAT_MS = 3_000;
/** A worker that has not done so for longer than this, which is three times in a row, counts as gone. */
export const SILENT_SECS = 10;
/** The same of an api, which reports how much it serves every 2 s, and may be busy. */
export const SILENT_API_SECS = 15;

/** Every timer, those that run most often first. How often is in the worker's timetable. */
export const TIMERS = {
  'outbox-relay': {
    purpose: 'Hands the jobs that requests have written to their queues.',
    verb: 'delivered',
    alwaysRuns: 'without it no job reaches any queue; pause a queue instead',
  },
  'worker-orders': {
    purpose: 'Reads what staff order of timers and workers, and records what timers have done.',
    verb: 'followed',
    alwaysRuns: 'without it no worker would read that the pause has ended',
  },
  'due-undo': {
    purpose: 'Reverts changes of keys that were not kept in time.',
    verb: 'reverted',
    alwaysRuns: 'without it an allow-list that was opened for minutes would stay open',
  },
  'key-safety': { purpose: 'Looks for what is unsafe about keys.', verb: 'examined' },
  'audit-stream': { purpose: 'Sends the audit log to a collector.', verb: 'sent' },
  'usage-sinks': { purpose: 'Sends the usage of the ledger to billing systems.', verb: 'sent' },
  'quota-watch': { purpose: 'Looks for accounts, keys and budgets that run out of credits.', verb: 'raised' },
  'worker-heartbeat': {
    purpose: 'Records that a worker is alive.',
    verb: 'recorded',
    alwaysRuns: 'without it every worker would count as gone',
  },
  'history-fingerprints': {
    purpose: 'Notes how speech of the history sounds, so that a clip of it can be found.',
    verb: 'noted',
  },
  'review-sweeper': { purpose: 'Finds reviews that have lost their job.', verb: 'examined' },
  'credit-holds': { purpose: 'Returns credits that were held for work that has ended.', verb: 'settled' },
  'queue-watch': {
    purpose: 'Looks whether a worker takes the jobs that wait.',
    verb: 'examined',
    alwaysRuns: 'without it a stuck worker would not be started again',
  },
  'webhook-sweeper': {
    purpose: 'Finds webhooks that have lost their job; deletes old ones.',
    verb: 'handled',
  },
  'alert-sweeper': { purpose: 'Finds messages that have lost their job; deletes old ones.', verb: 'handled' },
  'abandoned-previews': { purpose: 'Refunds previews whose process died.', verb: 'failed' },
  'approval-expiry': { purpose: 'Ends changes that waited too long for a second person.', verb: 'ended' },
  'idle-keys': {
    purpose: 'Warns of keys that are not used, and disables them as policies say.',
    verb: 'handled',
  },
  'alert-watch': { purpose: 'Looks for what rules alert of: expiry, idle keys, backlogs.', verb: 'raised' },
  'preset-watch': { purpose: 'Looks for changed files of allow-list presets.', verb: 'noted' },
  'country-watch': { purpose: 'Looks for keys that are used from new countries.', verb: 'raised' },
  backups: { purpose: 'Begins the backup that BACKUP_SCHEDULE wants.', verb: 'made' },
  'deleted-keys': {
    purpose: 'Removes the secrets of keys that were deleted 30 days ago.',
    verb: 'removed',
  },
  'history-expiry': { purpose: 'Deletes speech that is older than HISTORY_DAYS.', verb: 'deleted' },
  'limit-expiry': { purpose: 'Deletes expired single-use tokens and old counts of limits.', verb: 'deleted' },
  'preview-expiry': {
    purpose: 'Deletes expired previews, audio that nothing refers to, and expired responses.',
    verb: 'expired',
  },
  'traffic-retention': { purpose: 'Deletes observed traffic that is too old.', verb: 'deleted' },
  'space-log': { purpose: 'Records how much is free on the disks.', verb: 'recorded' },
  'ledger-months': { purpose: 'Creates the months of the ledger ahead of time.', verb: 'created' },
  'spending-watch': { purpose: 'Looks at the pace at which accounts spend.', verb: 'raised' },
} as const satisfies Record<string, TimerRow>;

export type TimerName = keyof typeof TIMERS;

export const TIMER_NAMES = Object.keys(TIMERS) as TimerName[];

export function isTimerName(name: string): name is TimerName {
  return Object.hasOwn(TIMERS, name);
}

/** A timer's row of the table. */
export function timerRow(name: TimerName): TimerRow {
  return TIMERS[name];
}

/** How often something happened, by its name in the singular: `{ preview: 14 }`. */
export type Counts = Readonly<Record<string, number>>;

/** `expired 14 previews, 2 responses`; null when nothing was done. */
export function doneText(verb: string, counts: Counts): string | null {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => plural(count, what));
  return parts.length === 0 ? null : `${verb} ${parts.join(', ')}`;
}

/**
 * `late`: it has not begun for three times its period. `failing`: its last run in a worker that is there has failed.
 * `waiting`: no worker has run it yet, and none should have.
 */
export type TimerState = 'on_time' | 'late' | 'failing' | 'paused' | 'waiting';

/** A timer as of now: all in seconds, null for what was never. */
export interface ObservedTimer {
  everySecs: number;
  isPaused: boolean;
  isFailing: boolean;
  /** Since it last began, in any worker. */
  beganSecsAgo: number | null;
  /** Since it may run again: since its pause ended. */
  allowedForSecs: number | null;
  /** How long the worker that is there longest has been. */
  workerForSecs: number | null;
}

const PERIODS = 3;
/** Workers report at most every few seconds. */
const REPORTING_SECS = 15;

/** What is to be said of a timer. Without any worker every timer is late, once it was due. */
export function evaluateTimer(timer: ObservedTimer): TimerState {
  if (timer.isPaused) return 'paused';
  if (timer.isFailing) return 'failing';
  const patience = PERIODS * timer.everySecs + REPORTING_SECS;
  const since = timer.beganSecsAgo ?? timer.workerForSecs;
  const waited = Math.min(since ?? Infinity, timer.allowedForSecs ?? Infinity);
  if (waited > patience) return 'late';
  return timer.beganSecsAgo === null ? 'waiting' : 'on_time';
}
