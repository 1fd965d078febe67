import type { UndoneOwner, UndoneSetting } from '@app/domain/audit/undone-settings';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { managedBy } from '../accounts/account-conditions';
import { Conditions } from '../common/conditions';
import type { ListOwner } from './allow-list.repository';
import { KeyUndo } from './key-undo.entity';

/** A setting to revert, and what has it. */
export interface DueSetting {
  subjectId: string;
  setting: UndoneSetting;
  kind: UndoneOwner;
  /** Of a budget. */
  accountId: string | null;
}

/** A change of an allow-list that is reverted automatically, unless it is kept. */
export interface ListTimer extends ListOwner {
  name: string;
  accountId: string;
  accountName: string;
  changedBy: string;
  dueAt: Date;
}

/** What settings of keys, accounts and budgets were before their last change. */
@Injectable()
export class KeyUndoRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find(
    subjectId: string,
    setting: UndoneSetting,
    em: EntityManager = this.dataSource.manager,
  ): Promise<KeyUndo | null> {
    return em.findOneBy(KeyUndo, { subjectId, setting });
  }

  /** Every change of something that can be undone, the newest first; of several, of all of them. */
  async list(...subjectIds: string[]): Promise<KeyUndo[]> {
    return this.dataSource.manager.find(KeyUndo, {
      where: { subjectId: In(subjectIds) },
      order: { changedAt: 'DESC', setting: 'ASC' },
    });
  }

  /** Remembers what settings were before their last change. */
  async save(undos: readonly KeyUndo[], em: EntityManager): Promise<void> {
    // The type of a partial entity cannot hold any JSON.
    await em.upsert(KeyUndo, undos as object[], ['subjectId', 'setting']);
  }

  /** The last change stays: its undo timer is removed. */
  async clearDue(subjectId: string, setting: UndoneSetting, em: EntityManager): Promise<void> {
    await em.update(KeyUndo, { subjectId, setting }, { dueAt: null });
  }

  /**
   * Allow-lists whose undo timer runs, the first to be reverted first, and how many there are. A closed account's is reverted too.
   *
   * @param managerId of accounts with this account manager; null for those without one
   */
  async listListTimers(
    managerId: string | null | undefined,
    limit: number,
  ): Promise<{ items: ListTimer[]; total: number }> {
    const where = new Conditions(['allowed_ips', limit]);
    if (managerId !== undefined) where.add(managedBy('a', managerId, where));
    const rows = await this.dataSource.query<(ListTimer & { total: number })[]>(
      `SELECT CASE WHEN k.id IS NULL THEN 'account' ELSE 'key' END AS kind, u.subject_id AS id, coalesce(k.name, a.name) AS name,
         a.id AS "accountId", a.name AS "accountName", u.changed_by AS "changedBy", u.due_at AS "dueAt",
         count(*) OVER ()::int AS total
       FROM key_undo u LEFT JOIN api_key k ON k.id = u.subject_id AND k.deleted_at IS NULL
       JOIN account a ON a.id = coalesce(k.account_id, u.subject_id)
       WHERE u.due_at IS NOT NULL AND u.setting = $1 AND ${where.sql} ORDER BY u.due_at, u.subject_id LIMIT $2`,
      where.values,
    );
    return { items: rows.map(({ total: _, ...timer }) => timer), total: rows[0]?.total ?? 0 };
  }

  /** Settings whose undo timer has run out, of what exists still. A closed account keeps its settings. */
  async listDue(limit: number): Promise<DueSetting[]> {
    return this.dataSource.query<DueSetting[]>(
      `SELECT u.subject_id AS "subjectId", u.setting, b.account_id AS "accountId",
         CASE WHEN k.id IS NOT NULL THEN 'key' WHEN b.id IS NOT NULL THEN 'budget' ELSE 'account' END AS kind
       FROM key_undo u LEFT JOIN api_key k ON k.id = u.subject_id AND k.deleted_at IS NULL
       LEFT JOIN account a ON a.id = u.subject_id AND (a.status <> 'closed' OR u.setting = 'allowed_ips')
       LEFT JOIN budget b ON b.id = u.subject_id
       WHERE u.due_at <= clock_timestamp() AND coalesce(k.id, a.id, b.id) IS NOT NULL
       ORDER BY u.due_at LIMIT $1`,
      [limit],
    );
  }
}
