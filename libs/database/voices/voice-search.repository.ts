import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { Voice } from './voice.entity';
import { Conditions } from '../common/conditions';
import { addNarrowing, conditionsOf, VOICE_ORDERS, type VoiceFilter, type VoicePage } from './voice-filter';

/** No tier has more voices: counts of accounts that do are estimates of the planner when they are large. */
const LARGE_ACCOUNT = 10_000;

/** How many voices a page of a large account looks at in the order of the list, before everything is searched. */
const WALK_LIMIT = 5_000;

/** A place in the list, and the voice there: none when it was deleted meanwhile. */
interface PlacedVoice extends Place {
  voice: Voice | null;
}

interface Place {
  id: string;
  position: string;
}

/**
 * Finds voices of one account: all that match, to count and sort them. Among very many voices that is quick only when few
 * match, so there the next ones in the order of the list are looked at first. See `ApiKeySearchRepository` for why the
 * planner is not left to choose.
 */
@Injectable()
export class VoiceSearchRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** One page of voices with their samples, and how many there are on all pages. */
  async search(filter: VoiceFilter, page: VoicePage): Promise<{ rows: PlacedVoice[]; total: number }> {
    const { places, total } = await this.find(filter, page);
    return { rows: await this.read(places), total };
  }

  private async find(filter: VoiceFilter, page: VoicePage): Promise<{ places: Place[]; total: number }> {
    if ((await this.estimate({ accountId: filter.accountId })) > LARGE_ACCOUNT) {
      const places = await this.walk(filter, page);
      if (places.length === page.limit) {
        return { places, total: Math.max(await this.estimate(filter), places.length) };
      }
    }
    return this.findAll(filter, page);
  }

  private async findAll(filter: VoiceFilter, page: VoicePage): Promise<{ places: Place[]; total: number }> {
    const where = conditionsOf(filter, true);
    const [row] = await this.dataSource.query<{ places: Place[] | null; total: number }[]>(
      `WITH found AS MATERIALIZED (
         SELECT v.id, ${VOICE_ORDERS[page.order].value} AS position FROM voice v WHERE ${where.sql})
       SELECT (SELECT count(*) FROM found)::int AS total, (
         SELECT json_agg(page) FROM (
           SELECT id, position::text FROM found WHERE ${afterOf(page, where, 'position', 'id')}
           ORDER BY ${orderOf(page)} LIMIT ${where.value(page.limit)}) page) AS places`,
      where.values,
    );
    return { places: row!.places ?? [], total: row!.total };
  }

  /** Looks at the next voices in the order of the list and takes those that match; a page that is not full may lack some. */
  private async walk(filter: VoiceFilter, page: VoicePage): Promise<Place[]> {
    const { value } = VOICE_ORDERS[page.order];
    const owner = conditionsOf({ accountId: filter.accountId }, false);
    const next = `SELECT v.*, ${value} AS position FROM voice v
      WHERE ${owner.sql} AND ${afterOf(page, owner, value, 'v.id')} ORDER BY ${orderOf(page)} LIMIT ${WALK_LIMIT}`;
    const matching = new Conditions(owner.values);
    addNarrowing(filter, matching);
    return this.dataSource.query(
      `SELECT v.id, v.position::text FROM (${next}) v WHERE ${matching.sql}
       ORDER BY ${orderOf(page, 'v.')} LIMIT ${matching.value(page.limit)}`,
      matching.values,
    );
  }

  private async read(places: Place[]): Promise<PlacedVoice[]> {
    const voices = await this.dataSource.manager.find(Voice, {
      where: { id: In(places.map(({ id }) => id)) },
      relations: { samples: true },
    });
    const byId = new Map(voices.map((voice) => [voice.id, voice]));
    return places.map(({ id, position }) => ({ id, position, voice: byId.get(id) ?? null }));
  }

  private async estimate(filter: VoiceFilter): Promise<number> {
    const where = conditionsOf(filter, false);
    const [row] = await this.dataSource.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }[]>(
      `EXPLAIN (FORMAT JSON) SELECT FROM voice v WHERE ${where.sql}`,
      where.values,
    );
    return row!['QUERY PLAN'][0].Plan['Plan Rows'];
  }
}

/** That a voice comes after the page before. */
function afterOf(page: VoicePage, where: Conditions, value: string, id: string): string {
  if (!page.after) return 'true';
  const [afterValue, afterId] = [where.value(page.after.value), where.value(page.after.id)];
  const { type } = VOICE_ORDERS[page.order];
  return `(${value}, ${id}) ${page.descending ? '<' : '>'} (${afterValue}::${type}, ${afterId})`;
}

function orderOf({ descending }: VoicePage, prefix = ''): string {
  const direction = descending ? 'DESC' : 'ASC';
  return `${prefix}position ${direction}, ${prefix}id ${direction}`;
}
