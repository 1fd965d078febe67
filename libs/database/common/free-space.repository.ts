import type { SpaceSample } from '@app/domain/operations/operation-check';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** A pace is that of the last days. */
const STORED_DAYS = 7;
const EVERY_MINUTES = 10;

/** How much was free on the disks of each machine. */
@Injectable()
export class FreeSpaceRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Notes what is free now, of each folder at most once in ten minutes; deletes what is older than a week.
   *
   * @param host the machine that the folders are on
   * @returns how many were noted
   */
  async note(host: string, folders: readonly { folder: string; freeBytes: number }[]): Promise<number> {
    const noted = await this.dataSource.query<object[]>(
      `WITH old AS (DELETE FROM free_space WHERE at < now() - interval '${STORED_DAYS} days')
       INSERT INTO free_space (host, folder, free_bytes)
       SELECT $1, s.folder, s."freeBytes" FROM json_to_recordset($2) AS s (folder text, "freeBytes" bigint)
       WHERE NOT EXISTS (SELECT FROM free_space f WHERE f.host = $1 AND f.folder = s.folder
         AND f.at > now() - interval '${EVERY_MINUTES} minutes')
       RETURNING folder`,
      [host, JSON.stringify(folders)],
    );
    return noted.length;
  }

  /** What was noted of a folder within the last week, oldest first. */
  async list(host: string, folder: string): Promise<SpaceSample[]> {
    return this.dataSource.query<SpaceSample[]>(
      `SELECT at, free_bytes::float8 AS "freeBytes" FROM free_space
       WHERE host = $1 AND folder = $2 AND at > now() - interval '${STORED_DAYS} days' ORDER BY at`,
      [host, folder],
    );
  }
}
