import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { Conditions } from '../common/conditions';
import { addNarrowing, type VoiceFilter } from './voice-filter';
import { Voice } from './voice.entity';

export type SharedVoiceFilter = Omit<VoiceFilter, 'accountId'>;

/** Voices that every account may use. */
@Injectable()
export class SharedVoiceRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Shared voices that match, those shared last first, and how many there are on all pages. */
  async list(
    filter: SharedVoiceFilter,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ voices: Voice[]; total: number }> {
    const where = new Conditions();
    where.add('v.shared_at IS NOT NULL AND v.safety_state IS NULL');
    addNarrowing(filter, where);
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT v.id FROM voice v WHERE ${where.sql} ORDER BY v.shared_at DESC, v.id LIMIT ${limit} OFFSET ${offset}`,
      where.values,
    );
    const [counted] = await this.dataSource.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM voice v WHERE ${where.sql}`,
      where.values,
    );
    const ids = rows.map(({ id }) => id);
    const found = await this.dataSource.manager.findBy(Voice, { id: In(ids) });
    const byId = new Map(found.map((voice) => [voice.id, voice]));
    return { voices: ids.flatMap((id) => byId.get(id) ?? []), total: counted!.total };
  }

  /** The copy of a shared voice that an account has; null when it has none. */
  async findCopy(contentDigest: string, accountId: string, em: EntityManager): Promise<Voice | null> {
    return em.findOneBy(Voice, { contentDigest, accountId });
  }

  /** Locks a voice of any account until the transaction ends. */
  async lock(id: string, em: EntityManager): Promise<Voice | null> {
    return em.findOne(Voice, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Puts a voice into the catalogue now, or takes it out. */
  async setShared(id: string, isShared: boolean, em: EntityManager): Promise<void> {
    await em.update(Voice, { id }, { sharedAt: isShared ? () => 'now()' : null });
  }
}
