import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { Voice } from '../entities/voice.entity';
import { Conditions } from './conditions';
import { addNarrowing, conditionsOf, VOICE_ORDERS, type VoiceFilter, type VoicePage } from './voice-filter';

/** Counts up to this are exact: no tier has more voices. Beyond, an estimate of the planner. */
const EXACT_COUNT_LIMIT = 10_000;

/** How many voices a page looks at in the order of the list, before it is given up that they match often. */
const WALK_LIMIT = 10_000;

/** A voice with its position in a list. */
export interface PlacedVoice {
  voice: Voice;
  position: string;
}

interface Place {
  id: string;
  position: string;
}

/**
 * Finds voices of one account. A rare word is found by its trigrams and then sorted, a common one among very many voices
 * by walking the order of the list until the page is full; see `ApiKeySearchRepository` for why the choice is made here.
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
    const estimate = await this.estimate(filter);
    if (estimate <= EXACT_COUNT_LIMIT) {
      const found = await this.findAll(filter, page, EXACT_COUNT_LIMIT + 1);
      if (found.total <= EXACT_COUNT_LIMIT) return found;
    }
    const walked = await this.walk(filter, page);
    const { places } =
      walked.length === page.limit ? { places: walked } : await this.findAll(filter, page, null);
    return { places, total: Math.max(estimate, EXACT_COUNT_LIMIT + 1) };
  }

  /** Finds everything that matches, counts and sorts it. With `atMost`, the page is not right when the total reaches it. */
  private async findAll(
    filter: VoiceFilter,
    page: VoicePage,
    atMost: number | null,
  ): Promise<{ places: Place[]; total: number }> {
    const where = conditionsOf(filter);
    const [row] = await this.dataSource.query<{ places: Place[] | null; total: number }[]>(
      `WITH found AS MATERIALIZED (
         SELECT v.id, ${VOICE_ORDERS[page.order].value} AS position FROM voice v WHERE ${where.sql} LIMIT ${atMost ?? 'ALL'})
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
    const owner = conditionsOf({ accountId: filter.accountId });
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
    return places.flatMap(({ id, position }) => {
      const voice = byId.get(id);
      return voice ? [{ voice, position }] : [];
    });
  }

  private async estimate(filter: VoiceFilter): Promise<number> {
    const where = conditionsOf(filter);
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
