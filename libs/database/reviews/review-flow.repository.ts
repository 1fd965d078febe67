import {
  JOB_LOST,
  NOT_ATTEMPTS,
  PENDING_REVIEW_STATES,
  type RecordingGrade,
  type ReviewState,
} from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { OPEN_SQL, PENDING_SQL } from '../common/review-state-sql';

/**
 * Whether a message `o` of the outbox waits: the queue has other reviews of its account, or with low priority of any,
 * or staff have said so.
 */
const WAITS_FOR_ITS_TURN = `(o.account_id IS NOT NULL AND o.lease_until IS NULL AND o.last_error IS NULL
  AND (EXISTS (SELECT FROM review_hold h WHERE h.account_id = o.account_id AND h.ends_at > now())
    OR EXISTS (SELECT FROM queued_review q JOIN voice v ON v.id = q.voice_id AND v.review_generation = q.generation
    WHERE (q.account_id = o.account_id OR o.is_bulk) AND v.review_state IN ${PENDING_SQL})))`;

/** What happened to reviews within a stretch of time. */
export interface FlowBucket {
  from: Date;
  requested: number;
  completed: number;
  rejected: number;
  /** Attempts that are tried again. */
  failed: number;
  /** Reviews that became dead letters. */
  stalled: number;
}

export interface GradeDay {
  /** In UTC, as 2026-01-31. */
  day: string;
  grade: RecordingGrade;
  reviews: number;
}

/** How far the reviews are that staff have requested at once. */
export interface BatchProgress {
  reviews: number;
  /** That wait or run. */
  pending: number;
  /** That failed after their last attempt, again. */
  failed: number;
}

/** The jobs that committed transactions enqueued, and that no queue has yet. */
export interface OutboxLag {
  /** That are due. */
  messages: number;
  /** Age of the oldest one; 0 without any. */
  oldestSecs: number;
  /** Reviews that wait because their account has others in the queue. */
  waitingTurn: number;
  /** Jobs for later, such as the next attempt of a webhook. */
  scheduled: number;
  /** Messages that could not be delivered at least once. */
  failing: number;
  lastError: string | null;
}

/** Reviews in a state that a customer waits for or staff must look at. */
export interface OpenReviews {
  state: ReviewState;
  reviews: number;
  /** Of the oldest. */
  since: Date;
}

/** A voice whose review a customer waits for or staff must look at. */
const IS_OPEN = `review_state IN ${OPEN_SQL}`;

/** How reviews flow, through any queue: everything here is read from what was recorded. */
@Injectable()
export class ReviewFlowRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The last `minutes` in stretches of `stepMinutes`, oldest first; the last one has just begun. */
  async listBuckets(minutes: number, stepMinutes: number): Promise<FlowBucket[]> {
    return this.dataSource.query(
      `SELECT b.from, count(e.*) FILTER (WHERE to_state = 'queued')::int AS requested,
         count(e.*) FILTER (WHERE to_state = 'completed')::int AS completed,
         count(e.*) FILTER (WHERE to_state = 'rejected')::int AS rejected,
         count(e.*) FILTER (WHERE to_state = 'retry_wait' AND cause <> ALL ($3))::int AS failed,
         count(e.*) FILTER (WHERE to_state = 'stalled')::int AS stalled
       FROM (SELECT generate_series(
               date_bin(make_interval(mins => $2), now() - make_interval(mins => $1), 'epoch') + make_interval(mins => $2),
               now(), make_interval(mins => $2)) AS from) b
       LEFT JOIN review_event e ON e.at >= b.from AND e.at < b.from + make_interval(mins => $2)
       GROUP BY b.from ORDER BY b.from`,
      [minutes, stepMinutes, NOT_ATTEMPTS],
    );
  }

  /** The verdicts on the voices of an account since a time, by day and grade, oldest first. */
  async listGrades(accountId: string, since: Date): Promise<GradeDay[]> {
    return this.dataSource.query<GradeDay[]>(
      `SELECT to_char(r.completed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, r.grade, count(*)::int AS reviews
       FROM voice v JOIN review r ON r.voice_id = v.id
       WHERE v.account_id = $1 AND r.completed_at >= $2 GROUP BY 1, 2 ORDER BY 1, 2`,
      [accountId, since],
    );
  }

  /** How many reviews are in each state that a customer waits for or staff must look at. */
  async countOpenStates(): Promise<{ state: ReviewState; reviews: number }[]> {
    return this.dataSource.query(
      `SELECT review_state AS state, count(*)::int AS reviews FROM voice WHERE ${IS_OPEN} GROUP BY 1`,
    );
  }

  /**
   * The same, and since when the oldest waits: since its request, or since it became a dead letter. Not since it was touched
   * last, because the sweeper touches all that waits in the queue; nor since a lost job of it was replaced.
   * Reads an event of each pending review, so ask for counts alone where they do.
   */
  async listOpenStates(): Promise<OpenReviews[]> {
    return this.dataSource.query(
      `SELECT review_state AS state, count(*)::int AS reviews,
         min(coalesce(CASE WHEN review_state <> 'stalled' THEN (
           SELECT at FROM review_event e WHERE e.voice_id = v.id AND e.to_state = 'queued' AND e.cause <> $1
           ORDER BY e.id DESC LIMIT 1) END, review_touched_at)) AS since
       FROM voice v WHERE ${IS_OPEN} GROUP BY 1`,
      [JOB_LOST],
    );
  }

  /** How far the dead letters are that were retried at once; null when no such change is known. */
  async findRetryProgress(changeId: string): Promise<BatchProgress | null> {
    const [progress] = await this.dataSource.query<BatchProgress[]>(
      `SELECT count(*)::int AS reviews, count(*) FILTER (WHERE v.review_state = ANY ($2))::int AS pending,
         count(*) FILTER (WHERE v.review_state = 'stalled')::int AS failed
       FROM audit_event e, jsonb_array_elements_text(e.after->'voice_ids') AS retried (id) LEFT JOIN voice v USING (id)
       WHERE e.target_id = $1 AND e.action = 'dead_letters.retried' HAVING count(*) > 0`,
      [changeId, PENDING_REVIEW_STATES],
    );
    return progress ?? null;
  }

  /** How far the outbox is behind. A message that failed is as late as when it was due first. */
  async getOutboxLag(): Promise<OutboxLag> {
    const [lag] = await this.dataSource.query<OutboxLag[]>(
      `SELECT count(*) FILTER (WHERE is_due)::int AS messages, count(*) FILTER (WHERE waits_turn)::int AS "waitingTurn",
         coalesce(extract(epoch FROM now() - min(due_since) FILTER (WHERE is_due)), 0)::float8 AS "oldestSecs",
         count(*) FILTER (WHERE NOT is_due AND NOT waits_turn)::int AS scheduled,
         count(*) FILTER (WHERE last_error IS NOT NULL)::int AS failing,
         (SELECT last_error FROM outbox WHERE last_error IS NOT NULL ORDER BY available_at DESC LIMIT 1) AS "lastError"
       FROM (SELECT last_error, waits_turn, NOT waits_turn AND (last_error IS NOT NULL OR available_at <= now()) AS is_due,
               CASE WHEN last_error IS NULL THEN available_at ELSE due_at END AS due_since
             FROM (SELECT *, available_at <= now() AND ${WAITS_FOR_ITS_TURN} AS waits_turn FROM outbox o) o) message`,
    );
    return lag!;
  }
}
