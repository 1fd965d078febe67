import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, Raw, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { Voice } from './voice.entity';

/** The voice that an account finds under an alias. The condition on empty lists is that of the index. */
export function byAlias(alias: string, accountId: string): FindOptionsWhere<Voice> {
  const holds = Raw((column) => `${column} <> '{}' AND :alias = ANY (${column})`, { alias });
  return { accountId, aliases: holds };
}

/** Ids under which accounts find their voices beside those of the voices. */
@Injectable()
export class VoiceAliasRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Locks a voice of any account until the transaction ends; null when there is none. */
  async lock(id: string, em: EntityManager): Promise<Voice | null> {
    return em.findOne(Voice, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async save(id: string, aliases: string[], em: EntityManager): Promise<void> {
    await em.update(Voice, { id }, { aliases });
  }

  /** The first of these aliases that is an id of any voice, or an alias of another voice of the account; null when all are free. */
  async findTaken(
    { id, accountId }: Pick<Voice, 'id' | 'accountId'>,
    aliases: string[],
    em: EntityManager,
  ): Promise<{ alias: string; voiceId: string } | null> {
    const [taken] = await em.query<{ alias: string; voiceId: string }[]>(
      `SELECT v.id AS alias, v.id AS "voiceId" FROM voice v WHERE v.id = ANY ($1)
       UNION ALL SELECT a.alias, v.id FROM voice v, unnest(v.aliases) AS a (alias)
         WHERE v.account_id = $2 AND v.aliases <> '{}' AND v.id <> $3 AND a.alias = ANY ($1) LIMIT 1`,
      [aliases, accountId, id],
    );
    return taken ?? null;
  }

  /** The voices of an account that have aliases, and those with these ids. */
  async list(accountId: string, ids: string[]): Promise<Voice[]> {
    const aliased = Raw((column) => `${column} <> '{}'`);
    const where = [
      { accountId, aliases: aliased },
      { accountId, id: In(ids) },
    ];
    return this.dataSource.manager.find(Voice, { where, order: { id: 'ASC' } });
  }
}
