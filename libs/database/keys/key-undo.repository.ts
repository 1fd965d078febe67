import type { UndoneField } from '@app/domain/keys/key-fields';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { KeyUndo } from './key-undo.entity';

/** What settings of keys were before their last change. */
@Injectable()
export class KeyUndoRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find(
    subjectId: string,
    setting: UndoneField,
    em: EntityManager = this.dataSource.manager,
  ): Promise<KeyUndo | null> {
    return em.findOneBy(KeyUndo, { subjectId, setting });
  }

  /** Every change of a key that can be undone, the newest first. */
  async list(subjectId: string): Promise<KeyUndo[]> {
    return this.dataSource.manager.find(KeyUndo, {
      where: { subjectId },
      order: { changedAt: 'DESC', setting: 'ASC' },
    });
  }

  /** Remembers what settings were before their last change. */
  async save(undos: readonly KeyUndo[], em: EntityManager): Promise<void> {
    // The type of a partial entity cannot hold any JSON.
    await em.upsert(KeyUndo, undos as object[], ['subjectId', 'setting']);
  }

  /** The last change stays: its undo timer is removed. */
  async clearDue(subjectId: string, setting: UndoneField, em: EntityManager): Promise<void> {
    await em.update(KeyUndo, { subjectId, setting }, { dueAt: null });
  }

  /** Settings of keys, and allow-lists of accounts, whose undo timer has run out. */
  async listDue(
    limit: number,
  ): Promise<{ subjectId: string; setting: UndoneField; kind: 'key' | 'account' }[]> {
    return this.dataSource.query(
      `SELECT u.subject_id AS "subjectId", u.setting, CASE WHEN k.id IS NULL THEN 'account' ELSE 'key' END AS kind
       FROM key_undo u LEFT JOIN api_key k ON k.id = u.subject_id LEFT JOIN account a ON a.id = u.subject_id
       WHERE u.due_at <= clock_timestamp() AND (a.id IS NOT NULL OR k.deleted_at IS NULL AND k.id IS NOT NULL)
       ORDER BY u.due_at LIMIT $1`,
      [limit],
    );
  }
}
