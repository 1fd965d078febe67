import type { KeySinceChange } from '@app/domain/keys/bulk-undo';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, LessThanOrEqual, type EntityManager } from 'typeorm';
import { BulkKeyChange } from './bulk-key-change.entity';

/** Changes of many keys, and how those keys have fared since. */
@Injectable()
export class BulkKeyChangeRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insert(change: BulkKeyChange, em: EntityManager): Promise<void> {
    await em.insert(BulkKeyChange, change);
  }

  async find(id: string): Promise<BulkKeyChange | null> {
    return this.dataSource.manager.findOneBy(BulkKeyChange, { id });
  }

  /** A change, locked until the transaction ends. */
  async lock(id: string, em: EntityManager): Promise<BulkKeyChange | null> {
    return em.findOne(BulkKeyChange, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async update(
    id: string,
    patch: Partial<Pick<BulkKeyChange, 'dueAt' | 'undoneAt' | 'undoneBy'>>,
    em: EntityManager,
  ): Promise<void> {
    await em.update(BulkKeyChange, { id }, patch);
  }

  /** The newest changes. */
  async listRecent(limit: number): Promise<BulkKeyChange[]> {
    return this.dataSource.manager.find(BulkKeyChange, { order: { changedAt: 'DESC' }, take: limit });
  }

  /** Ids of changes whose undo timer has run out. */
  async listDue(limit: number): Promise<string[]> {
    const due = await this.dataSource.manager.find(BulkKeyChange, {
      select: { id: true },
      where: { dueAt: LessThanOrEqual(new Date()) },
      order: { dueAt: 'ASC' },
      take: limit,
    });
    return due.map(({ id }) => id);
  }

  /** The keys of a change as they are now; in a transaction (`em`), locked in one order until it ends. */
  async listKeys({ keyIds, keyVersions }: BulkKeyChange, em?: EntityManager): Promise<KeySinceChange[]> {
    return (em ?? this.dataSource.manager).query<KeySinceChange[]>(
      `SELECT k.id, k.name, k.version = c.version AS unchanged, k.deleted_at IS NOT NULL AS deleted,
         k.disable_reason IS NOT NULL AS disabled, a.status = 'closed' AS "accountClosed"
       FROM unnest($1::uuid[], $2::int[]) AS c (id, version)
         JOIN api_key k ON k.id = c.id JOIN account a ON a.id = k.account_id
       ORDER BY k.id ${em ? 'FOR UPDATE OF k' : ''}`,
      [keyIds, keyVersions],
    );
  }
}
