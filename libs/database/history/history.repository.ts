import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { caselessPattern } from '../common/caseless';
import { HistoryItem } from './history-item.entity';
import { HistoryPiece } from './history-piece.entity';

export type NewHistoryItem = Omit<HistoryItem, 'createdAt' | 'pieces'>;

export interface HistoryFilter {
  voiceId?: string | undefined;
  modelId?: string | undefined;
  /** Exclusive. */
  before?: Date | undefined;
  /** Inclusive. */
  after?: Date | undefined;
  /** Part of the text, in any case. */
  search?: string | undefined;
  direction: 'asc' | 'desc';
}

@Injectable()
export class HistoryRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores an item with its audio, in order; the same item again changes nothing. */
  async insert(
    item: NewHistoryItem,
    pieces: Pick<HistoryPiece, 'audioDigest' | 'sizeBytes'>[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    const rows = pieces.map((piece, position) => ({ ...piece, position, historyItemId: item.id }));
    await em.createQueryBuilder().insert().into(HistoryItem).values(item).orIgnore().execute();
    await em.createQueryBuilder().insert().into(HistoryPiece).values(rows).orIgnore().execute();
  }

  /** An item of this account with its pieces in order; null for another account's. */
  async findOwned(
    id: string,
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<HistoryItem | null> {
    return em.findOne(HistoryItem, {
      where: { id, accountId },
      relations: { pieces: true },
      order: { pieces: { position: 'ASC' } },
    });
  }

  /** The items of an account in the order of their creation, without their pieces. */
  async list(
    accountId: string,
    { voiceId, modelId, before, after, search, direction }: HistoryFilter,
    startAfter: HistoryItem | null,
    limit: number,
  ): Promise<HistoryItem[]> {
    const query = this.dataSource
      .getRepository(HistoryItem)
      .createQueryBuilder('item')
      .where('item.account_id = :accountId', { accountId });
    if (voiceId) query.andWhere('item.voice_id = :voiceId', { voiceId });
    if (modelId) query.andWhere('item.model_id = :modelId', { modelId });
    if (before) query.andWhere('item.created_at < :before', { before });
    if (after) query.andWhere('item.created_at >= :after', { after });
    if (search) query.andWhere('plain_text(item.text) ~ :pattern', { pattern: caselessPattern(search) });
    // Of the row itself: its time is more precise than a Date.
    if (startAfter)
      query.andWhere(
        `(item.created_at, item.id) ${direction === 'asc' ? '>' : '<'}
         (SELECT s.created_at, s.id FROM history_item s WHERE s.id = :startId)`,
        { startId: startAfter.id },
      );
    const order = direction === 'asc' ? 'ASC' : 'DESC';
    return query.orderBy('item.created_at', order).addOrderBy('item.id', order).limit(limit).getMany();
  }

  /** Deletes an item of this account. Returns whether there was one. */
  async delete(id: string, accountId: string, em: EntityManager): Promise<boolean> {
    const { affected } = await em.delete(HistoryItem, { id, accountId });
    return affected === 1;
  }

  /** Deletes items that are older than `days`, oldest first. Returns how many. */
  async deleteOld(days: number, limit: number, em: EntityManager = this.dataSource.manager): Promise<number> {
    const [, deleted] = await em.query<[unknown[], number]>(
      `WITH old AS MATERIALIZED (
         SELECT h.id FROM history_item h WHERE h.created_at < now() - make_interval(days => $1)
         ORDER BY h.created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       DELETE FROM history_item h USING old WHERE h.id = old.id`,
      [days, limit],
    );
    return deleted;
  }
}
