import { SILENT_SECS, type Counts } from '@app/domain/common/timers';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { TimerCommand } from './timer-command.entity';

/** What a worker reports of a timer. Times are in ms before now, or after it: clocks of workers differ. */
export interface TimerReport {
  name: string;
  everyMs: number;
  runs: number;
  failures: number;
  beganMsAgo: number;
  /** Null while it runs. */
  endedMsAgo: number | null;
  tookMs: number | null;
  /** Null when it did nothing since the last report. */
  did: Counts | null;
  didMsAgo: number | null;
  error: string | null;
  failedMsAgo: number | null;
  nextInMs: number | null;
}

/** What a worker has to do about a timer. */
export interface TimerCommands {
  /** Timers that are paused, and for how much longer. */
  paused: { name: string; forMs: number }[];
  /** Timers that this worker, and no other, has to run now. */
  toRun: string[];
}

/** A timer as of its last run in any worker. */
export interface LastRun {
  name: string;
  worker: string;
  everyMs: number;
  beganAt: Date;
  beganSecsAgo: number;
  endedAt: Date | null;
  tookMs: number | null;
  nextAt: Date | null;
}

/** What is known of a timer besides its last run. */
export interface TimerFacts {
  name: string;
  workers: number;
  did: Counts | null;
  didAt: Date | null;
  /** Of a worker that is there. */
  error: string | null;
  failedAt: Date | null;
  failedIn: string | null;
}

@Injectable()
export class TimerRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores what has changed since a worker's last report. */
  async report(worker: { id: string; name: string }, reports: readonly TimerReport[]): Promise<void> {
    const ago = (field: string) => `now() - r."${field}" * interval '1 ms'`;
    await this.dataSource.query(
      `INSERT INTO timer_run (worker_id, worker, name, every_ms, runs, failures, began_at, ended_at, took_ms, did, did_at,
         error, failed_at, next_at)
       SELECT $1, $2, r.name, r."everyMs", r.runs, r.failures, ${ago('beganMsAgo')}, ${ago('endedMsAgo')}, r."tookMs",
         nullif(r.did, 'null'), ${ago('didMsAgo')}, r.error, ${ago('failedMsAgo')}, now() + r."nextInMs" * interval '1 ms'
       FROM jsonb_to_recordset($3::jsonb) AS r (name text, "everyMs" int, runs bigint, failures bigint, "beganMsAgo" float8,
         "endedMsAgo" float8, "tookMs" real, did jsonb, "didMsAgo" float8, error text, "failedMsAgo" float8, "nextInMs" float8)
       ON CONFLICT (name, worker_id) DO UPDATE SET every_ms = excluded.every_ms, runs = excluded.runs,
         failures = excluded.failures, began_at = excluded.began_at, ended_at = excluded.ended_at,
         took_ms = coalesce(excluded.took_ms, timer_run.took_ms), did = coalesce(excluded.did, timer_run.did),
         did_at = coalesce(excluded.did_at, timer_run.did_at), error = excluded.error,
         failed_at = coalesce(excluded.failed_at, timer_run.failed_at), next_at = excluded.next_at, noted_at = now()`,
      [worker.id, worker.name, JSON.stringify(reports)],
    );
  }

  /** Deletes what workers reported that have been gone for days. */
  async deleteOld(days: number): Promise<void> {
    await this.dataSource.query('DELETE FROM timer_run WHERE noted_at < now() - make_interval(days => $1)', [
      days,
    ]);
  }

  /** What staff have ordered. What has to run is handed out once. */
  async takeCommands(): Promise<TimerCommands> {
    const commands = await this.dataSource.query<{ name: string; forMs: number | null; isToRun: boolean }[]>(
      `WITH taken AS (
         UPDATE timer_order SET run_requested_at = NULL WHERE run_requested_at IS NOT NULL RETURNING name)
       SELECT o.name, extract(epoch FROM o.paused_until - now())::float8 * 1000 AS "forMs", t.name IS NOT NULL AS "isToRun"
       FROM timer_order o LEFT JOIN taken t USING (name) WHERE o.paused_until > now() OR t.name IS NOT NULL`,
    );
    return {
      paused: commands.flatMap(({ name, forMs }) => (forMs === null || forMs <= 0 ? [] : [{ name, forMs }])),
      toRun: commands.filter(({ isToRun }) => isToRun).map(({ name }) => name),
    };
  }

  /** The last run of each timer, in whichever worker. */
  async listLastRuns(): Promise<LastRun[]> {
    return this.dataSource.query(
      `SELECT DISTINCT ON (name) name, worker, every_ms AS "everyMs", began_at AS "beganAt",
         greatest(0, extract(epoch FROM now() - began_at))::float8 AS "beganSecsAgo", ended_at AS "endedAt",
         took_ms AS "tookMs", next_at AS "nextAt"
       FROM timer_run ORDER BY name, began_at DESC`,
    );
  }

  /** What all workers together say of each timer. */
  async listFacts(): Promise<TimerFacts[]> {
    return this.dataSource.query(
      `SELECT r.name, count(w.id)::int AS workers,
         (array_agg(r.did ORDER BY r.did_at DESC NULLS LAST))[1] AS did, max(r.did_at) AS "didAt",
         (array_agg(r.error ORDER BY r.failed_at DESC) FILTER (WHERE r.error IS NOT NULL AND w.id IS NOT NULL))[1] AS error,
         max(r.failed_at) FILTER (WHERE r.error IS NOT NULL AND w.id IS NOT NULL) AS "failedAt",
         (array_agg(r.worker ORDER BY r.failed_at DESC) FILTER (WHERE r.error IS NOT NULL AND w.id IS NOT NULL))[1]
           AS "failedIn"
       FROM timer_run r LEFT JOIN worker_process w
         ON w.id = r.worker_id AND w.seen_at > now() - make_interval(secs => ${SILENT_SECS})
       GROUP BY r.name`,
    );
  }

  /** What is ordered of timers, and for how long a pause has been over; null when it is not. */
  async listCommands(): Promise<(TimerCommand & { allowedForSecs: number | null })[]> {
    return this.dataSource.query(
      `SELECT name, paused_until AS "pausedUntil", paused_by AS "pausedBy", pause_reason AS "pauseReason",
         run_requested_at AS "runRequestedAt",
         CASE WHEN paused_until <= now() THEN extract(epoch FROM now() - paused_until)::float8 END AS "allowedForSecs"
       FROM timer_order`,
    );
  }

  /** For how long the worker that started first has been there; null without one. */
  async workerForSecs(): Promise<number | null> {
    const [row] = await this.dataSource.query<{ secs: number | null }[]>(
      `SELECT max(extract(epoch FROM now() - started_at))::float8 AS secs FROM worker_process
       WHERE seen_at > now() - make_interval(secs => ${SILENT_SECS})`,
    );
    return row!.secs;
  }

  /** What is ordered of one timer, locked until the transaction ends. */
  async lockCommand(name: string, em: EntityManager): Promise<TimerCommand> {
    await em.query('INSERT INTO timer_order (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
    return em.findOneOrFail(TimerCommand, { where: { name }, lock: { mode: 'pessimistic_write' } });
  }

  async setCommand(name: string, patch: Partial<TimerCommand>, em: EntityManager): Promise<void> {
    await em.update(TimerCommand, { name }, patch);
  }
}
