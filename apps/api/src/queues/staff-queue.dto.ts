import type { FlowBucket } from '@app/database/reviews/review-flow.repository';
import { STAFF_VOICE_ORDERS, type StaffVoiceFilter } from '@app/database/voices/staff-voice-filter';
import type { FailureCause, VoiceRow } from '@app/database/voices/staff-voice.repository';
import { withSchema } from '@app/domain/common/field-checks';
import { CheckedField, EnumField, StringField } from '../http/fields';
import { CursorField, LimitField } from '../http/pagination';
import { sortNames } from '../http/sorted-list';
import { toVoiceFilter, VoiceFilterQuery } from '../voices/staff-voice-query.dto';
import type { DeadLetters } from './dead-letters.service';
import type { QueueOverview, QueueRecord, WatchedWorker } from './queues.service';

const MAX_MINUTES = 1_440;
const MAX_BUCKETS = 60;

const MINUTES = { type: 'integer' as const, minimum: 1, maximum: MAX_MINUTES };

const checkMinutes = withSchema(MINUTES, (value) => {
  if (
    typeof value === 'string' &&
    /^\d{1,4}$/.test(value) &&
    Number(value) >= 1 &&
    Number(value) <= MAX_MINUTES
  )
    return [];
  const accepted = `a whole number from 1 to ${MAX_MINUTES}`;
  return [{ type: 'int_parsing', msg: `Input should be ${accepted}`, ctx: { accepted } }];
});

const CAUSE_GROUP = /^[0-9a-f]{32}$/;

const checkCauseGroup = withSchema({ type: 'string', pattern: CAUSE_GROUP.source }, (value) => {
  if (typeof value === 'string' && CAUSE_GROUP.test(value)) return [];
  const expected = 'the id of a group of causes';
  return [{ type: 'cause_group', msg: `Input should be ${expected}`, ctx: { expected } }];
});

export class ThroughputQuery {
  @CheckedField(checkMinutes, { optional: true })
  minutes: string = '60';
}

/** What dead letters are narrowed to. */
export class DeadLetterFilterQuery extends VoiceFilterQuery {
  /** Part of the cause. */
  @StringField({ optional: true, max: 200 })
  cause?: string;

  /** Id of a group of `causes`. */
  @CheckedField(checkCauseGroup, { optional: true })
  cause_group?: string;
}

export class DeadLetterQuery extends DeadLetterFilterQuery {
  @LimitField()
  limit?: string;

  @CursorField()
  cursor?: string;

  @EnumField(sortNames(STAFF_VOICE_ORDERS), { optional: true })
  sort: string = '-reviewed_at';
}

/** Only dead letters, for every query. */
export function toDeadLetterFilter(query: DeadLetterFilterQuery): StaffVoiceFilter {
  const { cause, cause_group: causeGroup } = query;
  return { ...toVoiceFilter(query), states: ['stalled'], causePart: cause?.trim() || undefined, causeGroup };
}

export interface QueueResponse {
  name: string;
  jobs: string[];
  reachable: boolean;
  error: string | null;
  paused: boolean | null;
  /** Null when the queue does not respond. */
  counts: {
    /** Requested and not started, wherever they wait: reviews wait outside of the queue for their turn. */
    waiting: number;
    /** Of those in the queue, the ones that go last. */
    low_priority: number;
    delayed: number;
    active: number;
    failed: number;
  } | null;
  oldest_waiting_secs: number | null;
}

export function toQueueResponse({ name, jobs, figures, error }: QueueRecord): QueueResponse {
  return {
    name,
    jobs,
    reachable: figures !== null,
    error,
    paused: figures?.paused ?? null,
    counts: figures && {
      waiting: figures.waiting,
      low_priority: figures.lowPriority,
      delayed: figures.delayed,
      active: figures.active,
      failed: figures.failed,
    },
    oldest_waiting_secs: figures?.oldestWaitingAt ? secsSince(figures.oldestWaitingAt) : null,
  };
}

export interface OverviewResponse {
  backend: string;
  queues: QueueResponse[];
  relay: {
    /** Jobs that are due and in no queue yet. */
    messages: number;
    oldest_secs: number;
    /** Reviews that wait because their account has others in the queue. */
    waiting_turn: number;
    /** Jobs for later, such as the next attempt of a webhook. */
    scheduled: number;
    failing: number;
    last_error: string | null;
  };
  reviews: { status: string; reviews: number; oldest_secs: number }[];
  dead_letters: number;
  /** Webhook endpoints that do not accept their events, or were switched off for that, and whose they are: those that failed first. */
  failing_webhooks: { endpoints: number; since: string | null; accounts: { id: string; name: string }[] };
}

export function toOverviewResponse({
  backend,
  queues,
  relay,
  reviews,
  receivers,
}: QueueOverview): OverviewResponse {
  return {
    backend,
    queues: queues.map(toQueueResponse),
    relay: {
      messages: relay.messages,
      oldest_secs: Math.round(relay.oldestSecs * 10) / 10,
      waiting_turn: relay.waitingTurn,
      scheduled: relay.scheduled,
      failing: relay.failing,
      last_error: relay.lastError?.split('\n')[0] ?? null,
    },
    reviews: reviews.map(({ state, reviews: count, since }) => {
      return { status: state, reviews: count, oldest_secs: secsSince(since) };
    }),
    dead_letters: reviews.find(({ state }) => state === 'stalled')?.reviews ?? 0,
    failing_webhooks: { ...receivers, since: receivers.since?.toISOString() ?? null },
  };
}

/** Minutes to look back, and how many of them go together so that a chart has no more points than it can show. */
export function toStretch({ minutes }: ThroughputQuery): { minutes: number; stepMinutes: number } {
  return { minutes: Number(minutes), stepMinutes: Math.ceil(Number(minutes) / MAX_BUCKETS) };
}

export interface ThroughputResponse {
  step_minutes: number;
  items: (Omit<FlowBucket, 'from'> & { from: string })[];
}

export function toThroughputResponse(buckets: FlowBucket[], stepMinutes: number): ThroughputResponse {
  const items = buckets.map(({ from, ...counts }) => ({ from: from.toISOString(), ...counts }));
  return { step_minutes: stepMinutes, items };
}

export interface WorkerResponse {
  id: string;
  name: string;
  health: WatchedWorker['health'];
  concurrency: number;
  started_at: string;
  seen_at: string;
  /** Jobs that it saw waiting, and for how long it has started none of them. */
  waiting: number;
  idle_secs: number;
  /** It takes nothing new, because staff say so. */
  quiet: { since: string; by: string; reason: string } | null;
  running: { voice_id: string; generation: number; attempt: number; secs: number }[];
}

export function toWorkersResponse(workers: WatchedWorker[]): { items: WorkerResponse[] } {
  return { items: workers.map(toWorkerResponse) };
}

function toWorkerResponse(worker: WatchedWorker): WorkerResponse {
  return {
    id: worker.id,
    name: worker.name,
    health: worker.health,
    concurrency: worker.concurrency,
    started_at: worker.startedAt.toISOString(),
    seen_at: worker.seenAt.toISOString(),
    waiting: worker.waiting,
    idle_secs: Math.round(worker.idleMs / 1_000),
    quiet: worker.quietSince && {
      since: worker.quietSince.toISOString(),
      by: worker.quietBy ?? '',
      reason: worker.quietReason ?? '',
    },
    running: worker.running.map(({ voiceId, generation, attempt, since }) => {
      return { voice_id: voiceId, generation, attempt, secs: secsSince(since) };
    }),
  };
}

export interface DeadLetterResponse {
  voice_id: string;
  name: string;
  account: { id: string; name: string | null };
  /** First line. */
  cause: string | null;
  attempts: number;
  since: string;
}

export interface DeadLettersResponse {
  items: DeadLetterResponse[];
  next_cursor: string | null;
  total: number;
  causes: FailureCauseResponse[];
}

/** Dead letters of one cause. */
export interface FailureCauseResponse {
  /** Narrows lists and changes to them, as `cause_group`. */
  id: string;
  /** First line; `…` stands for words with digits in which they differ. */
  cause: string;
  count: number;
  first_at: string;
  last_at: string;
  /** Of the worker in which the first one failed; null when that is not recorded. */
  release: string | null;
}

export function toDeadLettersResponse({ items, causes, ...rest }: DeadLetters): DeadLettersResponse {
  return { ...rest, items: items.map(toDeadLetterResponse), causes: causes.map(toFailureCauseResponse) };
}

function toFailureCauseResponse({ firstAt, lastAt, ...cause }: FailureCause): FailureCauseResponse {
  return { ...cause, first_at: firstAt.toISOString(), last_at: lastAt.toISOString() };
}

export interface RetryProgressResponse {
  reviews: number;
  /** That wait or run. */
  pending: number;
  /** Dead letters again. */
  failed: number;
}

function toDeadLetterResponse(row: VoiceRow): DeadLetterResponse {
  return {
    voice_id: row.id,
    name: row.name,
    account: { id: row.accountId, name: row.accountName },
    cause: row.failure?.split('\n')[0] ?? null,
    attempts: row.attempts,
    since: row.touchedAt.toISOString(),
  };
}

function secsSince(time: Date): number {
  return Math.max(0, Math.round((Date.now() - time.getTime()) / 1_000));
}
