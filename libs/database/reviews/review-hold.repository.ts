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
  /** Reviews that wait for their turn, and those that wait in the queue. */
  waitingTurn: number;
  inQueue: number;
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
      `WITH turn AS (
         SELECT account_id, count(*)::int AS jobs, min(created_at) AS since FROM outbox
         WHERE account_id IS NOT NULL GROUP BY 1),
       queued AS (
         SELECT v.account_id, count(*) FILTER (WHERE v.review_state <> 'running')::int AS jobs,
           count(*) FILTER (WHERE v.review_state = 'running')::int AS running,
           min(e.at) FILTER (WHERE v.review_state <> 'running') AS since,
           min(e.at) FILTER (WHERE v.review_state = 'running') AS running_since
         FROM voice v, LATERAL (
           SELECT at FROM review_event e WHERE e.voice_id = v.id
             AND e.to_state = CASE v.review_state WHEN 'running' THEN 'running' ELSE 'queued' END ORDER BY e.id DESC LIMIT 1) e
         WHERE v.review_state = ANY ($1) AND NOT EXISTS (SELECT FROM outbox o WHERE o.voice_id = v.id) GROUP BY 1),
       hold AS (SELECT * FROM review_hold WHERE ends_at > now())
       SELECT id AS "accountId", a.name, a.tier, coalesce(t.jobs, 0) AS "waitingTurn", coalesce(q.jobs, 0) AS "inQueue",
         coalesce(q.running, 0) AS running,
         extract(epoch FROM now() - least(t.since, q.since))::float8 AS "oldestWaitingSecs",
         extract(epoch FROM now() - q.running_since)::float8 AS "longestRunningSecs",
         CASE WHEN h.kind IS NOT NULL THEN jsonb_build_object('kind', h.kind, 'reason', h.reason, 'setBy', h.set_by,
           'setAt', h.set_at, 'endsAt', h.ends_at) END AS hold
       FROM (SELECT account_id AS id FROM turn UNION SELECT account_id FROM queued UNION SELECT account_id FROM hold) ids
         LEFT JOIN turn t ON t.account_id = id LEFT JOIN queued q ON q.account_id = id
         LEFT JOIN hold h ON h.account_id = id LEFT JOIN account a USING (id)
       ORDER BY least(t.since, q.since), id LIMIT $2`,
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
