import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { isUuid } from '@app/domain/common/uuid';
import { DataSource, type EntityManager } from 'typeorm';
import { WorkerProcess } from './worker-process.entity';

/** A review that a worker has claimed and not decided yet. */
export interface RunningReview {
  worker: string;
  voiceId: string;
  name: string;
  generation: number;
  attempt: number;
  since: Date;
}

type Heartbeat = Pick<WorkerProcess, 'id' | 'name' | 'concurrency' | 'waiting' | 'idleMs' | 'isStuck'>;

@Injectable()
export class WorkerProcessRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Notes that a worker is alive, and how it is; deletes those without a heartbeat for `silentSecs`. */
  async sendHeartbeat(worker: Heartbeat, silentSecs: number): Promise<void> {
    const { id, name, concurrency, waiting, idleMs, isStuck } = worker;
    await this.dataSource.query(
      `WITH silent AS (DELETE FROM worker_process WHERE id <> $1 AND seen_at < now() - make_interval(secs => $7))
       INSERT INTO worker_process (id, name, concurrency, waiting, idle_ms, is_stuck) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO UPDATE SET seen_at = now(), waiting = excluded.waiting, idle_ms = excluded.idle_ms,
         is_stuck = excluded.is_stuck`,
      [id, name, concurrency, waiting, Math.round(idleMs), isStuck, silentSecs],
    );
  }

  /** Notes that a worker has started; deletes those of more than `storedDays` ago. */
  async noteStart(worker: { id: string; name: string; release: string }, storedDays: number): Promise<void> {
    await this.dataSource.query(
      `WITH old AS (DELETE FROM worker_start WHERE at < now() - make_interval(days => $4))
       INSERT INTO worker_start (worker_id, name, release) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [worker.id, worker.name, worker.release, storedDays],
    );
  }

  /** The starts of workers since a time, oldest first; the first one that runs another release than the one before says so. */
  async listStarts(
    since: Date,
  ): Promise<{ at: Date; name: string; release: string; isNewRelease: boolean }[]> {
    return this.dataSource.query(
      `SELECT * FROM (
         SELECT at, name, release, coalesce(release <> lag(release) OVER (ORDER BY at), false) AS "isNewRelease"
         FROM worker_start) s WHERE at >= $1 ORDER BY at`,
      [since],
    );
  }

  /** Deletes a worker that stops. */
  async remove(id: string): Promise<void> {
    await this.dataSource.query(`DELETE FROM worker_process WHERE id = $1`, [id]);
  }

  /** Every worker, longest running first, and how long each has been silent. */
  async list(): Promise<(WorkerProcess & { silentSecs: number })[]> {
    return this.dataSource.query(
      `SELECT id, name, concurrency, started_at AS "startedAt", seen_at AS "seenAt", waiting, idle_ms AS "idleMs",
         is_stuck AS "isStuck", quiet_since AS "quietSince", quiet_by AS "quietBy", quiet_reason AS "quietReason",
         extract(epoch FROM now() - seen_at)::float8 AS "silentSecs"
       FROM worker_process ORDER BY started_at, id`,
    );
  }

  /** Whether a worker is to take nothing new; null when it is not known here. */
  async isQuiet(id: string): Promise<boolean | null> {
    const [row] = await this.dataSource.query<{ quiet: boolean }[]>(
      'SELECT quiet_since IS NOT NULL AS quiet FROM worker_process WHERE id = $1',
      [id],
    );
    return row?.quiet ?? null;
  }

  /** A worker by its id or its name, of several with one name the last that was seen; locked until the transaction ends. */
  async lock(worker: string, em: EntityManager): Promise<WorkerProcess | null> {
    // No name has one, and a database does not take it as a text.
    if (worker.includes('\0')) return null;
    return em.findOne(WorkerProcess, {
      where: isUuid(worker) ? { id: worker } : { name: worker },
      order: { seenAt: 'DESC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async setQuiet(id: string, quiet: { by: string; reason: string } | null, em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE worker_process SET quiet_since = CASE WHEN $2::text IS NOT NULL THEN now() END, quiet_by = $2,
         quiet_reason = $3 WHERE id = $1`,
      [id, quiet?.by ?? null, quiet?.reason ?? null],
    );
  }

  /** What the workers are at, longest first. */
  async listRunning(limit: number): Promise<RunningReview[]> {
    return this.dataSource.query(
      `SELECT e.actor AS worker, v.id AS "voiceId", v.name, v.review_generation AS generation,
         v.review_attempts AS attempt, e.at AS since
       FROM voice v, LATERAL (SELECT actor, at FROM review_event WHERE voice_id = v.id AND to_state = 'running'
                              ORDER BY id DESC LIMIT 1) e
       WHERE v.review_state = 'running' ORDER BY e.at LIMIT $1`,
      [limit],
    );
  }
}
