import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** A process that has not reported for longer than this is gone. */
const SILENT_SECS = 15;

/** How much a process of the api serves, as of its last report. */
interface ApiLoad {
  id: string;
  name: string;
  /** Responses since it started. */
  requests: string;
  /** Responses 401, 402, 403 and 429 among them. */
  refusals: string;
  /** Since the report before. */
  requestsPerSec: number;
  refusalsPerSec: number;
  startedAt: Date;
  seenAt: Date;
}

@Injectable()
export class ApiLoadRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Notes how much a process has served; deletes those that are gone. */
  async report(
    process: Pick<ApiLoad, 'id' | 'name' | 'requestsPerSec' | 'refusalsPerSec'> & {
      requests: number;
      refusals: number;
    },
  ): Promise<void> {
    const { id, name, requests, refusals, requestsPerSec, refusalsPerSec } = process;
    await this.dataSource.query(
      `WITH gone AS (DELETE FROM api_load WHERE seen_at < now() - make_interval(secs => ${SILENT_SECS}) AND id <> $1)
       INSERT INTO api_load (id, name, requests, refusals, requests_per_sec, refusals_per_sec)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (id) DO UPDATE SET requests = excluded.requests, refusals = excluded.refusals,
         requests_per_sec = excluded.requests_per_sec, refusals_per_sec = excluded.refusals_per_sec, seen_at = now()`,
      [id, name, requests, refusals, requestsPerSec, refusalsPerSec],
    );
  }

  async remove(id: string): Promise<void> {
    await this.dataSource.query('DELETE FROM api_load WHERE id = $1', [id]);
  }

  /** Those that are there, longest running first, and how long each has been silent. */
  async list(): Promise<(ApiLoad & { silentSecs: number })[]> {
    return this.dataSource.query(
      `SELECT id, name, requests, refusals, requests_per_sec AS "requestsPerSec", refusals_per_sec AS "refusalsPerSec",
         started_at AS "startedAt", seen_at AS "seenAt", extract(epoch FROM now() - seen_at)::float8 AS "silentSecs"
       FROM api_load WHERE seen_at > now() - make_interval(secs => ${SILENT_SECS}) ORDER BY started_at, id`,
    );
  }
}
