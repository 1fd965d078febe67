import { PENDING_REVIEW_STATES } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ReviewHold } from './review-hold.entity';

/** What an account has waiting and running, and what staff have decided about it. */
export interface WaitingAccount {
  accountId: string;
  /** Null when the account is gone. */
  name: string | null;
  tier: string | null;
  /** Reviews that wait for their turn, those that wait in the queue, and those that wait for their next attempt. */
  waitingTurn: number;
  inQueue: number;
  retrying: number;
  running: number;
  oldestWaitingSecs: number | null;
  longestRunningSecs: number | null;
  hold: Omit<ReviewHold, 'accountId'> | null;
}

/** Who waits for reviews, and whose reviews staff hold back. */
@Injectable()
export class ReviewHoldRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Accounts with something waiting or running or with a hold: those that have waited longest first. */
  async listWaiting(limit: number): Promise<WaitingAccount[]> {
    return this.dataSource.query<WaitingAccount[]>(
      `WITH pending AS (
         SELECT v.account_id, v.review_state AS state, o.at IS NOT NULL AS in_outbox, coalesce(o.at, (
           SELECT at FROM review_event e WHERE e.voice_id = v.id
             AND e.to_state = CASE v.review_state WHEN 'running' THEN 'running' ELSE 'queued' END ORDER BY e.id DESC LIMIT 1),
           v.review_touched_at) AS since
         FROM voice v, LATERAL (
           SELECT min(created_at) AS at FROM outbox WHERE voice_id = v.id AND v.review_state = 'queued') o
         WHERE v.review_state = ANY ($1)),
       open AS (
         SELECT account_id, count(*) FILTER (WHERE state = 'queued' AND in_outbox)::int AS waiting_turn,
           count(*) FILTER (WHERE state = 'queued' AND NOT in_outbox)::int AS in_queue,
           count(*) FILTER (WHERE state = 'retry_wait')::int AS retrying,
           count(*) FILTER (WHERE state = 'running')::int AS running,
           min(since) FILTER (WHERE state <> 'running') AS since,
           min(since) FILTER (WHERE state = 'running') AS running_since
         FROM pending GROUP BY 1),
       hold AS (SELECT * FROM review_hold WHERE ends_at > now())
       SELECT id AS "accountId", a.name, a.tier, coalesce(p.waiting_turn, 0) AS "waitingTurn",
         coalesce(p.in_queue, 0) AS "inQueue", coalesce(p.retrying, 0) AS retrying, coalesce(p.running, 0) AS running,
         extract(epoch FROM now() - p.since)::float8 AS "oldestWaitingSecs",
         extract(epoch FROM now() - p.running_since)::float8 AS "longestRunningSecs",
         CASE WHEN h.kind IS NOT NULL THEN jsonb_build_object('kind', h.kind, 'reason', h.reason, 'setBy', h.set_by,
           'setAt', h.set_at, 'endsAt', h.ends_at) END AS hold
       FROM (SELECT account_id AS id FROM open UNION SELECT account_id FROM hold) ids
         LEFT JOIN open p ON p.account_id = id LEFT JOIN hold h ON h.account_id = id LEFT JOIN account a USING (id)
       ORDER BY p.since, id LIMIT $2`,
      [PENDING_REVIEW_STATES, limit],
    );
  }

  /** The hold of an account that has not ended; null without one. The account is locked until the transaction ends. */
  async lock(accountId: string, em: EntityManager): Promise<{ exists: boolean; hold: ReviewHold | null }> {
    const accounts = await em.query<unknown[]>('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
    const [hold] = await em.query<ReviewHold[]>(
      `SELECT account_id AS "accountId", kind, reason, set_by AS "setBy", set_at AS "setAt", ends_at AS "endsAt"
       FROM review_hold WHERE account_id = $1 AND ends_at > now()`,
      [accountId],
    );
    return { exists: accounts.length > 0, hold: hold ?? null };
  }

  /** Holds an account, in place of what was decided before. */
  async set(hold: Omit<ReviewHold, 'setAt'>, em: EntityManager): Promise<void> {
    await em.upsert(ReviewHold, { ...hold, setAt: () => 'now()' }, ['accountId']);
  }

  async remove(accountId: string, em: EntityManager): Promise<void> {
    await em.delete(ReviewHold, { accountId });
  }
}
