import { TIERS } from '@app/domain/accounts/tiers';
import { SILENT_SECS } from '@app/domain/common/timers';
import { PENDING_REVIEW_STATES } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { randomUUID } from 'node:crypto';
import type { ClaimedMessage } from './outbox.repository';

/** A claimed review, in the order in which it enters the queue. */
export interface ClaimedTurn extends ClaimedMessage {
  /** After all others, also in the queue. */
  isLast: boolean;
}

export interface TurnLimits {
  /** At most so many at once. */
  batch: number;
  leaseSecs: number;
  /** Jobs that the queue has, in any state before their end; null when it cannot be read. */
  jobsInQueue: number | null;
}

/**
 * Jobs in the queue beyond one for each review that the workers can run at once: one, and one more for every four of those.
 * The next account waits for all of them; a slot that becomes free takes one while the relay looks for another.
 */
const SLOTS_PER_NEXT = 4;
/** Accounts among which one round divides the turns. The first of them is drawn. */
const MAX_ACCOUNTS = 500;
/** A job that was claimed less than this ago may be on its way to the queue. */
const ON_ITS_WAY_SECS = 5;

/** Audio, in seconds, from which a review is long: one second or two of work. */
const LONG_SECS = 120;

const WEIGHTS = JSON.stringify(
  Object.fromEntries(Object.entries(TIERS).map(([tier, { reviewsPerTurn }]) => [tier, reviewsPerTurn])),
);

/** A message `o` that a relay ($1) may deliver. */
const IS_FREE = `(o.lease_until IS NULL OR o.lease_until < now() OR o.lease_owner = $1)`;

/** Whether the samples of a voice that are not measured yet are long. */
const isLong = (voiceId: string) => `coalesce((
  SELECT sum(duration_secs) FROM voice_sample s WHERE s.voice_id = ${voiceId}
    AND NOT EXISTS (SELECT FROM measured_sample m WHERE m.sample_id = s.id)), 0) > ${LONG_SECS}`;

/** The reviews of `queued_review` that the queue still has, as far as PostgreSQL knows. */
const IN_QUEUE = `
  SELECT q.account_id, q.is_last, q.queued_at, ${isLong('q.voice_id')} AS is_long FROM queued_review q
  JOIN voice v ON v.id = q.voice_id AND v.review_generation = q.generation AND v.review_state = ANY ($2)
  WHERE NOT EXISTS (SELECT FROM outbox o WHERE o.voice_id = q.voice_id AND ${IS_FREE})`;

/** The account after `after` that has a message, or else the first one: a loose scan of the index. */
function nextAccount(after: string): string {
  const first = (condition: string) =>
    `(SELECT account_id FROM outbox WHERE account_id IS NOT NULL ${condition} ORDER BY account_id LIMIT 1)`;
  return `coalesce(${first(`AND account_id > ${after}`)}, ${first('')})`;
}

/**
 * In which order the reviews of all accounts enter their queue. The queue stays short, and what waits, waits in the
 * outbox: there, the account with the fewest jobs in the queue for its weight is next, and the oldest job among equals.
 * The first jobs of an account, as many as its weight, enter at once. Low priority comes after all of that,
 * and with it the accounts that staff have moved behind; those that staff hold do not enter. Long reviews leave one slot to the
 * others, where there are several.
 *
 * Nothing is counted up or down: what is in the queue is worked out in each round, so that a process may die anywhere.
 */
@Injectable()
export class ReviewTurnsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Leases the reviews whose turn it is to `owner`. One relay at a time; the others get none meanwhile. What `owner` still
   * holds of a round that failed is among them.
   */
  async claim(
    owner: string,
    { batch, leaseSecs, jobsInQueue }: TurnLimits,
    em: EntityManager = this.dataSource.manager,
  ): Promise<ClaimedTurn[]> {
    return em.query<ClaimedTurn[]>(
      `WITH RECURSIVE turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext('review turns')) AS is_mine),
       ended AS (
         DELETE FROM queued_review q WHERE (SELECT is_mine FROM turn) AND NOT EXISTS (
           SELECT FROM voice v WHERE v.id = q.voice_id AND v.review_generation = q.generation AND v.review_state = ANY ($2))),
       in_queue AS MATERIALIZED (${IN_QUEUE}),
       by_account AS (
         SELECT account_id, count(*) AS jobs, count(*) FILTER (WHERE NOT is_last) AS live FROM in_queue GROUP BY 1),
       slots AS (
         SELECT coalesce(sum(concurrency), 0) AS count FROM worker_process
         WHERE seen_at > now() - make_interval(secs => ${SILENT_SECS}) AND quiet_since IS NULL),
       room AS (
         SELECT (SELECT greatest(count, 1) + 1 + count / ${SLOTS_PER_NEXT} FROM slots) AS size, count(*) AS jobs,
           count(*) FILTER (WHERE NOT is_last) AS live,
           (SELECT greatest(count - 1, 1) FROM slots) - count(*) FILTER (WHERE is_long) AS for_long,
           -- Jobs that a queue has lost take no room.
           greatest(0, count(*) FILTER (WHERE queued_at < now() - make_interval(secs => ${ON_ITS_WAY_SECS}))
             - coalesce($6::int, count(*))) AS lost
         FROM in_queue),
       waiting AS (
         SELECT a.id AS account_id, a.id AS first, 1 AS place FROM (SELECT ${nextAccount('$7::uuid')} AS id) a
         WHERE a.id IS NOT NULL AND (SELECT is_mine FROM turn)
         UNION ALL
         SELECT a.id, w.first, w.place + 1 FROM waiting w, LATERAL (SELECT ${nextAccount('w.account_id')} AS id) a
         WHERE w.place < ${MAX_ACCOUNTS} AND a.id <> w.first),
       candidate AS (
         SELECT m.id, m.available_at, m.is_last, m.is_long,
           (coalesce(CASE WHEN m.is_last THEN b.jobs ELSE b.live END, 0) + m.nth - 1)
             / coalesce(($5::jsonb ->> a.tier)::int, 1) AS round
         FROM waiting w LEFT JOIN account a ON a.id = w.account_id LEFT JOIN by_account b ON b.account_id = w.account_id
             LEFT JOIN review_hold h ON h.account_id = w.account_id AND h.ends_at > now(),
           LATERAL (
             SELECT o.id, o.available_at, o.is_bulk OR h.kind IS NOT NULL AS is_last, ${isLong('o.voice_id')} AS is_long,
               row_number() OVER (ORDER BY o.is_bulk, o.available_at, o.id) AS nth
             FROM outbox o WHERE o.account_id = w.account_id AND o.available_at <= now() AND ${IS_FREE}
             ORDER BY o.is_bulk, o.available_at, o.id LIMIT $3) m
         WHERE h.kind IS DISTINCT FROM 'held'),
       ranked AS (
         SELECT *, row_number() OVER (PARTITION BY is_long ORDER BY is_last, round, available_at, id) AS nth FROM candidate),
       line AS (
         SELECT id, is_last, round, row_number() OVER (ORDER BY is_last, round, available_at, id) AS place
         FROM ranked, room r WHERE NOT is_long OR nth <= r.for_long),
       picked AS MATERIALIZED (
         SELECT o.id, l.is_last, l.place FROM outbox o JOIN line l ON l.id = o.id, room r
         WHERE (l.round = 0 AND NOT l.is_last)
           OR (CASE WHEN l.is_last THEN r.jobs ELSE r.live END) - r.lost + l.place <= r.size
         ORDER BY l.place LIMIT $3 FOR UPDATE OF o SKIP LOCKED),
       claimed AS (
         UPDATE outbox o SET lease_owner = $1, lease_until = now() + make_interval(secs => $4), attempts = attempts + 1
         FROM picked p WHERE o.id = p.id
         RETURNING o.id, o.job, o.payload, o.attempts, o.voice_id, o.account_id, p.is_last, p.place),
       noted AS (
         INSERT INTO queued_review (voice_id, generation, turn, account_id, is_last)
         SELECT DISTINCT ON (voice_id) voice_id, (payload ->> 'generation')::int, coalesce((payload ->> 'turn')::int, 0),
           account_id, is_last FROM claimed
         WHERE voice_id IS NOT NULL ORDER BY voice_id, (payload ->> 'generation')::int DESC, (payload ->> 'turn')::int DESC NULLS LAST
         ON CONFLICT (voice_id) DO UPDATE SET generation = excluded.generation, turn = excluded.turn,
           is_last = excluded.is_last, queued_at = now())
       SELECT id, job, payload - 'traceparent' AS payload, attempts, payload ->> 'traceparent' AS traceparent,
         is_last AS "isLast" FROM claimed ORDER BY place`,
      [owner, PENDING_REVIEW_STATES, batch, leaseSecs, WEIGHTS, jobsInQueue, randomUUID()],
    );
  }
}
