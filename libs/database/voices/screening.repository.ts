import type { ScreeningEntry } from '@app/domain/voices/screening';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { ScreeningEntryRow } from './screening-entry.entity';

export interface ScreeningState {
  profanity: boolean;
  version: number;
}

/** What a dry run reads of a voice. */
export interface ScreenedVoice {
  id: string;
  name: string;
  description: string;
  accountId: string;
  accountName: string | null;
}

/** The lists against which voices are screened. */
@Injectable()
export class ScreeningRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async getState(em: EntityManager = this.dataSource.manager): Promise<ScreeningState> {
    const [row] = await em.query<{ profanity: boolean; version: string }[]>(
      'SELECT profanity, version FROM screening_setting',
    );
    return { profanity: row!.profanity, version: Number(row!.version) };
  }

  /** Every entry, by list and text. */
  async list(em: EntityManager = this.dataSource.manager): Promise<ScreeningEntryRow[]> {
    return em.find(ScreeningEntryRow, { order: { list: 'ASC', text: 'ASC', id: 'ASC' } });
  }

  /** Changes the setting, or only its version, and locks it until the transaction ends: changes of the lists wait for each other. */
  async touch(em: EntityManager, profanity: boolean | null = null): Promise<void> {
    await em.query(
      'UPDATE screening_setting SET version = version + 1, profanity = coalesce($1, profanity)',
      [profanity],
    );
  }

  async insert(entry: Omit<ScreeningEntry, 'id'>, addedBy: string, em: EntityManager): Promise<string> {
    const id = randomUUID();
    await em.insert(ScreeningEntryRow, { id, ...entry, addedBy });
    return id;
  }

  async update(
    id: string,
    { text, accountId }: Pick<ScreeningEntry, 'text' | 'accountId'>,
    em: EntityManager,
  ): Promise<void> {
    await em.update(ScreeningEntryRow, { id }, { text, accountId });
  }

  async delete(id: string, em: EntityManager): Promise<void> {
    await em.delete(ScreeningEntryRow, { id });
  }

  /** Voices by id, from `afterId` on. */
  async listVoices(afterId: string, limit: number): Promise<ScreenedVoice[]> {
    return this.dataSource.query(
      `SELECT v.id, v.name, v.description, v.account_id AS "accountId", a.name AS "accountName"
       FROM voice v LEFT JOIN account a ON a.id = v.account_id WHERE v.id > $1 ORDER BY v.id LIMIT $2`,
      [afterId, limit],
    );
  }
}
