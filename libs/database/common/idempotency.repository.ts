import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { IdempotentRequest } from './idempotent-request.entity';

/** How long a response is stored, in hours. */
const STORED_HOURS = 24;

@Injectable()
export class IdempotencyRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Claims a key of an account, or of a staff member, for a request. Waits while another request with the same key is running. Null when
   * the caller has claimed the key; otherwise the completed request, of the last day.
   */
  async claim(
    accountId: string,
    key: string,
    fingerprint: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<IdempotentRequest | null> {
    const claimed = await em.query<unknown[]>(
      `INSERT INTO idempotent_request AS r (account_id, key, fingerprint) VALUES ($1, $2, $3)
       ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, answer = NULL, created_at = now()
         WHERE r.created_at < now() - interval '${STORED_HOURS} hours'
       RETURNING r.key`,
      [accountId, key, fingerprint],
    );
    return claimed.length > 0 ? null : em.findOneByOrFail(IdempotentRequest, { accountId, key });
  }

  /** Keeps the response for a claimed key. */
  async remember(
    accountId: string,
    key: string,
    response: object,
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await em.query('UPDATE idempotent_request SET answer = $3 WHERE account_id = $1 AND key = $2', [
      accountId,
      key,
      JSON.stringify(response),
    ]);
  }

  /** Gives a claimed key back that has no response. */
  async release(accountId: string, key: string): Promise<void> {
    await this.dataSource.query(
      'DELETE FROM idempotent_request WHERE account_id = $1 AND key = $2 AND answer IS NULL',
      [accountId, key],
    );
  }

  /** Deletes responses that have expired. Returns how many. */
  async deleteExpired(limit: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown[], number]>(
      `DELETE FROM idempotent_request WHERE (account_id, key) IN (
         SELECT account_id, key FROM idempotent_request WHERE created_at < now() - interval '${STORED_HOURS} hours'
         ORDER BY created_at LIMIT $1)`,
      [limit],
    );
    return deleted;
  }
}
