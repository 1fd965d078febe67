import { SILENT_API_SECS } from '@app/domain/common/timers';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** How much a process of the api serves, as of its last report. */
interface ApiLoad {
  name: string;
  /** Responses since it started. */
  requests: string;
  /** Since the report before; refusals are responses 401, 402, 403 and 429. */
  requestsPerSec: number;
  refusalsPerSec: number;
  silentSecs: number;
}

@Injectable()
export class ApiLoadRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Notes how much a process has served; deletes those that are gone. */
  async report(
    process: Pick<ApiLoad, 'name' | 'requestsPerSec' | 'refusalsPerSec'> & {
      id: string;
      requests: number;
      refusals: number;
    },
  ): Promise<void> {
    const { id, name, requests, refusals, requestsPerSec, refusalsPerSec } = process;
    await this.dataSource.query(
      `WITH gone AS (DELETE FROM api_load WHERE seen_at < now() - make_interval(secs => ${SILENT_API_SECS}) AND id <> $1)
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
  async list(): Promise<ApiLoad[]> {
    return this.dataSource.query(
      `SELECT name, requests, requests_per_sec AS "requestsPerSec", refusals_per_sec AS "refusalsPerSec",
         extract(epoch FROM now() - seen_at)::float8 AS "silentSecs"
       FROM api_load WHERE seen_at > now() - make_interval(secs => ${SILENT_API_SECS}) ORDER BY started_at, id`,
    );
  }
}
