import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** A token bucket: so many attempts at once, and one more after every `refillSecs`. */
export interface AttemptLimit {
  burst: number;
  refillSecs: number;
}

/** Attempts to sign in that are left, by key. Database time; the same for all processes. */
@Injectable()
export class StaffAttemptRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Whether there is a bucket of this name. */
  async exists(key: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM staff_auth.attempt_bucket WHERE key = $1',
      [key],
    );
    return rows.length > 0;
  }

  /**
   * Takes one attempt. A refused one takes nothing.
   *
   * @returns 0 when there was one, else the seconds until there is one
   */
  async take(key: string, { burst, refillSecs }: AttemptLimit): Promise<number> {
    const available = `least($2, b.tokens + extract(epoch FROM now() - b.updated_at) / $3)`;
    const taken = await this.dataSource.query<unknown[]>(
      `INSERT INTO staff_auth.attempt_bucket AS b (key, tokens, updated_at) VALUES ($1, $2::float8 - 1, now())
       ON CONFLICT (key) DO UPDATE SET tokens = ${available} - 1, updated_at = now() WHERE ${available} >= 1
       RETURNING 1`,
      [key, burst, refillSecs],
    );
    if (taken.length > 0) return 0;
    const [row] = await this.dataSource.query<{ wait: number }[]>(
      `SELECT ceil((1 - ${available}) * $3)::int AS wait FROM staff_auth.attempt_bucket b WHERE b.key = $1`,
      [key, burst, refillSecs],
    );
    return Math.max(1, row?.wait ?? 1);
  }

  /** Counts what is not noted one by one. */
  async count(key: string): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO staff_auth.attempt_bucket AS b (key, tokens, updated_at) VALUES ($1, 1, now())
       ON CONFLICT (key) DO UPDATE SET tokens = b.tokens + 1, updated_at = now()`,
      [key],
    );
  }

  /** How much was counted since this was last called. */
  async takeCount(key: string): Promise<number> {
    const [rows] = await this.dataSource.query<[{ tokens: number }[], number]>(
      'DELETE FROM staff_auth.attempt_bucket WHERE key = $1 RETURNING tokens',
      [key],
    );
    return rows[0]?.tokens ?? 0;
  }

  /** Fills a bucket up again, and makes it if it does not exist. */
  async fill(key: string, { burst }: AttemptLimit): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO staff_auth.attempt_bucket (key, tokens, updated_at) VALUES ($1, $2, now())
       ON CONFLICT (key) DO UPDATE SET tokens = excluded.tokens, updated_at = now()`,
      [key, burst],
    );
  }

  /** Gives one attempt back to each bucket. A bucket that is full stays so. */
  async release(keys: string[]): Promise<void> {
    await this.dataSource.query(
      'UPDATE staff_auth.attempt_bucket SET tokens = tokens + 1 WHERE key = ANY ($1)',
      [keys],
    );
  }

  /** Removes buckets unused for `days` and whose key starts with a prefix. */
  async deleteUnused(prefix: string, days: number): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM staff_auth.attempt_bucket
       WHERE updated_at < now() - make_interval(days => $2) AND starts_with(key, $1)`,
      [prefix, days],
    );
  }
}
