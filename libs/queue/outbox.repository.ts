import type { JobName, JobPayload } from '@app/queue/jobs';
import { tracing } from '@app/telemetry/tracing';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

export interface ClaimedMessage {
  id: string;
  job: string;
  payload: object;
  attempts: number;
  /** Of the trace in which it was enqueued; null without one. */
  traceparent: string | null;
}

export interface FailedDelivery {
  id: string;
  delaySecs: number;
  error: string;
}

/** Notified when messages that are due have been committed. */
export const OUTBOX_CHANNEL = 'greenroom_outbox';

@Injectable()
export class OutboxRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Enqueues a job about a voice, in the caller's transaction: it is delivered if and only if that transaction commits, in
   * the turn of the voice's account.
   */
  async enqueue<N extends JobName>(
    job: N,
    payload: JobPayload<N>,
    voiceId: string,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `WITH message AS (
         INSERT INTO outbox (job, payload, voice_id, account_id, is_bulk)
         VALUES ($1, $2::jsonb, $3, (SELECT account_id FROM voice WHERE id = $3),
           coalesce(($2::jsonb ->> 'isBulk')::boolean, false)))
       SELECT pg_notify($4, '')`,
      [job, JSON.stringify(inItsTrace(payload)), voiceId, OUTBOX_CHANNEL],
    );
  }

  /** Enqueues jobs that are not about a voice, each due after `delaySecs`, in the caller's transaction. */
  async enqueueAll<N extends JobName>(
    job: N,
    payloads: JobPayload<N>[],
    delaySecs: number,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `WITH messages AS (
         INSERT INTO outbox (job, payload, available_at, due_at)
         SELECT $1, payload, due, due FROM unnest($2::jsonb[]) AS payload, (SELECT now() + make_interval(secs => $3) AS due) d)
       SELECT pg_notify($4, '') WHERE $3::float8 = 0`,
      [job, payloads.map((payload) => JSON.stringify(inItsTrace(payload))), delaySecs, OUTBOX_CHANNEL],
    );
  }

  /**
   * Leases up to `limit` due messages that wait for no turn to `owner`; no other relay gets them until the lease has run out.
   * What it still holds of a round that failed is among them.
   */
  async claim(
    owner: string,
    limit: number,
    leaseSecs: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<ClaimedMessage[]> {
    const [rows] = await em.query<[ClaimedMessage[], number]>(
      // Materialised, so that the planner cannot run the locking part more than once.
      `WITH due AS MATERIALIZED (
         SELECT id FROM outbox
         WHERE account_id IS NULL AND available_at <= now() AND (lease_until IS NULL OR lease_until < now() OR lease_owner = $1)
         ORDER BY available_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       UPDATE outbox o SET lease_owner = $1, lease_until = now() + make_interval(secs => $3), attempts = attempts + 1
       FROM due WHERE o.id = due.id
       RETURNING o.id, o.job, o.payload - 'traceparent' AS payload, o.attempts,
         o.payload ->> 'traceparent' AS traceparent`,
      [owner, limit, leaseSecs],
    );
    return rows;
  }

  /** Deletes delivered messages that `owner` still holds. */
  async remove(ids: string[], owner: string, em: EntityManager = this.dataSource.manager): Promise<void> {
    await em.query('DELETE FROM outbox WHERE id = ANY ($1) AND lease_owner = $2', [ids, owner]);
  }

  /** Gives back messages that could not be delivered and that `owner` still holds, each due again after its delay. */
  async release(
    failures: FailedDelivery[],
    owner: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await em.query(
      `UPDATE outbox o SET lease_owner = NULL, lease_until = NULL, last_error = f.error,
         available_at = now() + make_interval(secs => f.delay_secs)
       FROM unnest($2::bigint[], $3::float8[], $4::text[]) AS f (id, delay_secs, error)
       WHERE o.id = f.id AND o.lease_owner = $1`,
      [
        owner,
        failures.map((failure) => failure.id),
        failures.map((failure) => failure.delaySecs),
        failures.map((failure) => failure.error),
      ],
    );
  }
}

/** The payload, and where the trace continues, if there is one: a job is delivered by another process, and later. */
function inItsTrace(payload: object): object {
  const traceparent = tracing()?.traceparent();
  return traceparent === undefined ? payload : { ...payload, traceparent };
}
