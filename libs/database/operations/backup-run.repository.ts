import type { BackupState } from '@app/domain/operations/backup-plan';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** What is known of a backup, besides its file. */
export interface BackupRun {
  name: string;
  startedAt: Date;
  endedAt: Date | null;
  error: string | null;
  provedAt: Date | null;
  proofError: string | null;
}

const STORED_DAYS = 800;
const ENDED = 'It was ended before it was complete.';

/** Backups that were begun. Times are those of the process that makes them. */
@Injectable()
export class BackupRunRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async getState(): Promise<BackupState> {
    const [row] = await this.dataSource.query<[BackupState]>(
      `SELECT max(started_at) AS "attemptedAt", max(started_at) FILTER (WHERE ended_at IS NOT NULL AND error IS NULL) AS "succeededAt",
         (SELECT error FROM backup_run ORDER BY started_at DESC LIMIT 1) AS "lastError",
         max(proved_at) AS "provedAt",
         (SELECT proof_error FROM backup_run WHERE proved_at IS NOT NULL ORDER BY proved_at DESC LIMIT 1) AS "proofError"
       FROM backup_run`,
    );
    return row;
  }

  /** Notes that a backup begins, by the process that holds the lock: those that are still open were ended. Deletes old rows. */
  async begin(name: string, place: string, at: Date): Promise<void> {
    await this.dataSource.query(
      `WITH old AS (DELETE FROM backup_run WHERE started_at < $3::timestamptz - interval '${STORED_DAYS} days'),
         ended AS (UPDATE backup_run SET ended_at = $3, error = '${ENDED}' WHERE ended_at IS NULL AND name <> $1)
       INSERT INTO backup_run (name, place, started_at) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET started_at = excluded.started_at, ended_at = NULL, error = NULL`,
      [name, place, at],
    );
  }

  /** @param outcome its size in bytes, or why it failed */
  async end(name: string, at: Date, outcome: number | string): Promise<void> {
    const [bytes, error] = typeof outcome === 'number' ? [outcome, null] : [null, outcome];
    await this.dataSource.query(
      'UPDATE backup_run SET ended_at = $2, bytes = $3, error = $4 WHERE name = $1',
      [name, at, bytes, error],
    );
  }

  /** @param error why the backup cannot be restored; null when it can */
  async noteProof(
    { name, place, startedAt }: { name: string; place: string; startedAt: Date },
    at: Date,
    error: string | null,
  ): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO backup_run (name, place, started_at, ended_at, proved_at, proof_error) VALUES ($1, $2, $3, $3, $4, $5)
       ON CONFLICT (name) DO UPDATE SET proved_at = excluded.proved_at, proof_error = excluded.proof_error`,
      [name, place, startedAt, at, error],
    );
  }

  /** By their names. */
  async list(): Promise<Map<string, BackupRun>> {
    const rows = await this.dataSource.query<BackupRun[]>(
      `SELECT name, started_at AS "startedAt", ended_at AS "endedAt", error, proved_at AS "provedAt",
         proof_error AS "proofError" FROM backup_run`,
    );
    return new Map(rows.map((row) => [row.name, row]));
  }
}
