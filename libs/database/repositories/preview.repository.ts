import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, Raw, type EntityManager } from 'typeorm';
import { Preview } from '../entities/preview.entity';

/** Database time decides what has expired, not the clock of one process. */
const notExpired = () => Raw((column) => `${column} > now()`);

@Injectable()
export class PreviewRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Runs a unit of work in a transaction. */
  async transaction<T>(run: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(run);
  }

  /** Stores new previews that live for `ttlHours` from now. */
  async insertAll(
    previews: Omit<Preview, 'createdAt' | 'expiresAt' | 'voiceId'>[],
    ttlHours: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await em
      .createQueryBuilder()
      .insert()
      .into(Preview)
      .values(
        previews.map((preview) => ({ ...preview, expiresAt: () => `now() + interval '${ttlHours} hours'` })),
      )
      .execute();
  }

  /** A live preview of this account; null for an unknown or expired one and for another account's. */
  async findOwned(
    id: string,
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<Preview | null> {
    return em.findOneBy(Preview, { id, accountId, expiresAt: notExpired() });
  }

  /** The same, locked until the transaction ends: whoever holds it decides what becomes of the preview. */
  async lockOwned(id: string, accountId: string, em: EntityManager): Promise<Preview | null> {
    return em.findOne(Preview, { where: { id, accountId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Which of these ids are previews of this account, expired or not. */
  async listOwnedIds(
    ids: string[],
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<string[]> {
    const found = await em.find(Preview, { where: { id: In(ids), accountId }, select: { id: true } });
    return found.map((preview) => preview.id);
  }

  /**
   * Deletes previews that expired at least `graceSecs` ago and are no voice, oldest first, without looking at those that
   * are. Returns how many. The grace must be longer than any transaction that makes a voice of a preview.
   */
  async deleteExpired(
    graceSecs: number,
    limit: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<number> {
    const [, deleted] = await em.query<[unknown[], number]>(
      `WITH expired AS MATERIALIZED (
         SELECT p.id FROM preview p
         WHERE p.expires_at < now() - make_interval(secs => $1)
           AND p.voice_id IS NULL
         ORDER BY p.expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       DELETE FROM preview p USING expired WHERE p.id = expired.id`,
      [graceSecs, limit],
    );
    return deleted;
  }
}
