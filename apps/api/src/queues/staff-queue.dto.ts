import type { FlowBucket } from '@app/database/reviews/review-flow.repository';
import { STAFF_VOICE_ORDERS, type StaffVoiceFilter } from '@app/database/voices/staff-voice-filter';
import type { FailureCause, VoiceRow } from '@app/database/voices/staff-voice.repository';
import { withSchema } from '@app/domain/common/field-checks';
import { choose } from '../http/choose';
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

export interface QueueResponse extends ReturnType<typeof toQueueResponse> {}

export function toQueueResponse({ name, jobs, figures, pause, error }: QueueRecord) {
  return {
    name,
    jobs: jobs as string[],
    reachable: figures !== null,
    error,
    paused: figures?.paused ?? null,
    /** By whom, since when and why; null when it is not paused, or not by staff. */
    pause: pause && { since: pause.since.toISOString(), by: pause.by ?? '', reason: pause.reason ?? '' },
    /** Null when the queue does not respond. */
    counts: figures && {
      /** Requested and not started, wherever they wait: reviews wait outside of the queue for their turn. */
      waiting: figures.waiting,
      /** Of those in the queue, the ones that go last. */
      low_priority: figures.lowPriority,
      ...choose(figures, 'delayed', 'active', 'failed'),
    },
    oldest_waiting_secs: figures?.oldestWaitingAt ? secsSince(figures.oldestWaitingAt) : null,
  };
}

export interface OverviewResponse extends ReturnType<typeof toOverviewResponse> {}

export function toOverviewResponse({ backend, queues, relay, reviews, receivers }: QueueOverview) {
  return {
    backend: backend as string,
    queues: queues.map(toQueueResponse),
    relay: {
      /** Jobs that are due and in no queue yet. */
      messages: relay.messages,
      oldest_secs: Math.round(relay.oldestSecs * 10) / 10,
      /** Reviews that wait because their account has others in the queue. */
      waiting_turn: relay.waitingTurn,
      /** Jobs for later, such as the next attempt of a webhook. */
      scheduled: relay.scheduled,
      failing: relay.failing,
      last_error: relay.lastError?.split('\n')[0] ?? null,
    },
    reviews: reviews.map(({ state, reviews: count, since }) => {
      return { status: state as string, reviews: count, oldest_secs: secsSince(since) };
    }),
    dead_letters: reviews.find(({ state }) => state === 'stalled')?.reviews ?? 0,
    /** Webhook endpoints that do not accept their events, or were switched off for that, and whose they are: those that failed first. */
    failing_webhooks: {
      endpoints: receivers.endpoints,
      since: receivers.since?.toISOString() ?? null,
      accounts: receivers.accounts,
    },
  };
}

/** Minutes to look back, and how many of them go together so that a chart has no more points than it can show. */
export function toStretch({ minutes }: ThroughputQuery): { minutes: number; stepMinutes: number } {
  return { minutes: Number(minutes), stepMinutes: Math.ceil(Number(minutes) / MAX_BUCKETS) };
}

export interface ThroughputResponse extends ReturnType<typeof toThroughputResponse> {}

export function toThroughputResponse(buckets: FlowBucket[], stepMinutes: number) {
  const items = buckets.map(({ from, ...counts }) => ({ from: from.toISOString(), ...counts }));
  return {
    step_minutes: stepMinutes,
    items,
  };
}

export function toWorkersResponse(workers: WatchedWorker[]): { items: WorkerResponse[] } {
  return { items: workers.map(toWorkerResponse) };
}

export interface WorkerResponse extends ReturnType<typeof toWorkerResponse> {}

function toWorkerResponse(worker: WatchedWorker) {
  return {
    ...choose(worker, 'id', 'name', 'health', 'concurrency', 'startedAt', 'seenAt'),
    /** Jobs that it saw waiting, and for how long it has started none of them. */
    waiting: worker.waiting,
    idle_secs: Math.round(worker.idleMs / 1_000),
    /** It takes nothing new, because staff say so. */
    quiet: worker.quietSince && {
      since: worker.quietSince.toISOString(),
      by: worker.quietBy ?? '',
      reason: worker.quietReason ?? '',
    },
    running: worker.running.map(({ voiceId, name, generation, attempt, since }) => {
      return { voice_id: voiceId, name, generation, attempt, secs: secsSince(since) };
    }),
  };
}

export interface DeadLettersResponse {
  items: DeadLetterResponse[];
  next_cursor: string | null;
  total: number;
  causes: FailureCauseResponse[];
}

export function toDeadLettersResponse({ items, causes, ...rest }: DeadLetters): DeadLettersResponse {
  return { ...rest, items: items.map(toDeadLetterResponse), causes: causes.map(toFailureCauseResponse) };
}

/** Dead letters of one cause. */
export interface FailureCauseResponse extends ReturnType<typeof toFailureCauseResponse> {}

function toFailureCauseResponse(failure: FailureCause) {
  return {
    /** Narrows lists and changes to them, as `cause_group`. */
    id: failure.id,
    /** First line; `…` stands for words with digits in which they differ. */
    cause: failure.cause,
    ...choose(failure, 'count', 'firstAt', 'lastAt'),
    /** Of the worker in which the first one failed; null when that is not recorded. */
    release: failure.release,
  };
}

export interface RetryProgressResponse {
  reviews: number;
  /** That wait or run. */
  pending: number;
  /** Dead letters again. */
  failed: number;
}

export interface DeadLetterResponse extends ReturnType<typeof toDeadLetterResponse> {}

function toDeadLetterResponse(row: VoiceRow) {
  return {
    voice_id: row.id,
    name: row.name,
    account: { id: row.accountId, name: row.accountName },
    /** First line. */
    cause: row.failure?.split('\n')[0] ?? null,
    attempts: row.attempts,
    since: row.touchedAt.toISOString(),
  };
}

function secsSince(time: Date): number {
  return Math.max(0, Math.round((Date.now() - time.getTime()) / 1_000));
}
