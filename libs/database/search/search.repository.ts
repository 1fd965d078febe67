import { STATUS_OF_KEY } from '../common/key-status-sql';
import type { SearchTerms } from '@app/domain/search/search-terms';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { caselessPattern, plainText } from '../common/caseless';
import { Conditions, namePart } from '../common/conditions';
import { keysWithSecretEndingIn } from '../keys/api-key-filter';

/** How many of the newest rows are looked at, before a name is looked up by its trigrams. */
const NEWEST = 5_000;
/** How many of the older ones with a part of a name are sorted by their age. */
const OLDER = 500;
/** How many names that resemble a text are compared with it. */
const RESEMBLING = 500;
/**
 * How alike a part of a name has to be (`word_similarity` of pg_trgm, 0 to 1): words of five letters and more are found with one
 * letter wrong, missing or too many, and words of six and more with two letters swapped.
 */
const ALIKE = 0.4;
/** How much of what came from one address is looked at. */
const SIGHTINGS = 500;

export const SEARCH_KINDS = [
  'account',
  'key',
  'voice',
  'preview',
  'request',
  'address',
  'staff',
  'program',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Where a search may look. */
export type SearchSource = 'accounts' | 'keys' | 'voices' | 'staff' | 'programs';

/** A search for what a text may name, in these places only. */
export interface Search {
  terms: SearchTerms;
  sources: ReadonlySet<SearchSource>;
  /** The most hits of each kind. */
  perKind: number;
}

/** Something that was found, and what there is to know it by. */
export interface SearchHit {
  kind: SearchKind;
  id: string;
  name: string;
  /** More about it: the last four of a key, the e-mail address of a person, what a request did. */
  detail: string | null;
  status: string | null;
  accountId: string | null;
  accountName: string | null;
  /** The key that it is about. */
  keyId: string | null;
  /** The voice that it is about. */
  voiceId: string | null;
  /** What a request cost, or would have cost. */
  credits: number | null;
  /** How long a request took that was let in. */
  durationMs: number | null;
  at: Date;
  /** Of an event of the audit log: what it was done to. */
  targetId?: string;
}

/** Named resources, found by a part of it or by what else names one. */
interface Named {
  kind: SearchKind;
  table: string;
  alive: string;
  detail: string;
  status: string;
  account: string;
  key: string;
  voice: string;
}

const ACCOUNTS: Named = {
  kind: 'account',
  table: 'account',
  alive: 'true',
  detail: 't.tier',
  status: 't.status',
  account: 't.id',
  key: 'NULL::uuid',
  voice: 'NULL',
};

const KEYS: Named = {
  kind: 'key',
  table: 'api_key',
  alive: 'deleted_at IS NULL',
  detail: '(SELECT s.hint FROM api_key_secret s WHERE s.key_id = t.id ORDER BY s.number DESC LIMIT 1)',
  status: `CASE ${Object.entries(STATUS_OF_KEY)
    .map(([name, is]) => `WHEN ${is('t')} THEN '${name}'`)
    .join(' ')} END`,
  account: 't.account_id',
  key: 't.id',
  voice: 'NULL',
};

const VOICES: Named = {
  kind: 'voice',
  table: 'voice',
  alive: 'true',
  detail: 't.recording_quality',
  status: 't.review_state',
  account: 't.account_id',
  key: 'NULL::uuid',
  voice: 't.id',
};

const PROGRAMS: Named = {
  kind: 'program',
  table: 'management_credential',
  alive: 'deleted_at IS NULL',
  detail: 't.hint',
  status: `CASE WHEN t.disabled_at IS NOT NULL THEN 'disabled' WHEN t.expires_at <= now() THEN 'over' ELSE 'enabled' END`,
  account: 'NULL::uuid',
  key: 'NULL::uuid',
  voice: 'NULL',
};

/** Finds what a text may name, newest first, in one statement whose parts each read an index. */
@Injectable()
export class SearchRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find(search: Search, em: EntityManager = this.dataSource.manager): Promise<SearchHit[]> {
    const { sources } = search;
    const statement = new SearchStatement(search);
    if (sources.has('accounts')) statement.addAccounts();
    if (sources.has('keys')) statement.addKeys();
    if (sources.has('voices')) statement.addVoices();
    if (sources.has('staff')) statement.addStaff();
    if (sources.has('programs')) statement.addPrograms();
    return statement.parts.length === 0 ? [] : em.query<SearchHit[]>(statement.sql, statement.values);
  }

  /** The accounts, keys and voices whose names resemble a text, regardless of case and accents, the most similar first. */
  async findNearest(search: Search, em: EntityManager = this.dataSource.manager): Promise<SearchHit[]> {
    const { sources } = search;
    const statement = new SearchStatement(search);
    if (sources.has('accounts')) statement.addNearest(ACCOUNTS);
    if (sources.has('keys')) statement.addNearest(KEYS);
    if (sources.has('voices')) statement.addNearest(VOICES);
    if (statement.parts.length === 0) return [];
    return em.transaction(async (inner) => {
      await inner.query(`SELECT set_config('pg_trgm.word_similarity_threshold', $1, true)`, [ALIKE]);
      return inner.query<SearchHit[]>(statement.sql, statement.values);
    });
  }
}

/** Selects what a hit says of each row `t`; `rank` puts the best hits first. */
function rowsOf({ kind, table, detail, status, account, key, voice }: Named, rank: string): string {
  return `
    SELECT '${kind}' AS kind, t.id::text, t.name, ${detail} AS detail, ${status} AS status, ${account} AS account_id,
      ${key} AS key_id, ${voice} AS voice_id, NULL::float8 AS credits, NULL::int AS duration_ms, t.created_at AS at,
      ${rank} AS rank FROM ${table} t`;
}

class SearchStatement {
  readonly parts: string[] = [];
  private readonly where = new Conditions();

  private readonly terms: SearchTerms;
  private readonly perKind: number;

  constructor({ terms, perKind }: Search) {
    this.terms = terms;
    this.perKind = perKind;
  }

  get values(): unknown[] {
    return this.where.values;
  }

  get sql(): string {
    return `SELECT f.kind, f.id, f.name, f.detail, f.status, f.account_id AS "accountId", a.name AS "accountName",
        f.key_id AS "keyId", f.voice_id AS "voiceId", f.credits, f.duration_ms AS "durationMs", f.at
      FROM (${this.parts.map((part) => `(${part})`).join(' UNION ALL ')}) f LEFT JOIN account a ON a.id = f.account_id
      ORDER BY f.rank DESC, f.at DESC, f.id`;
  }

  addAccounts(): void {
    const { uuid, id, text } = this.terms;
    this.addNamed(ACCOUNTS, [
      ...(uuid === null ? [] : [`t.id = ${this.value(uuid)}`]),
      `t.external_id = ${this.value(text)}`,
    ]);
    if (id !== null) this.addCharges(id);
  }

  addKeys(): void {
    const { uuid, id, lastFour, address, text } = this.terms;
    this.addNamed(KEYS, [
      `t.external_id = ${this.value(text)}`,
      ...(uuid === null ? [] : [`t.id = ${this.value(uuid)}`]),
      ...(lastFour === null ? [] : [`t.id IN (${keysWithSecretEndingIn(this.value(lastFour))})`]),
    ]);
    if (id !== null) {
      this.addRefusals(id);
      this.addRequests(id);
    }
    if (address !== null) {
      this.addSightings(address.text);
      this.addListed(address);
    }
  }

  addVoices(): void {
    const { id } = this.terms;
    this.addNamed(VOICES, id === null ? [] : [`t.id = ${this.value(id)}`]);
    if (id !== null) this.addPreviews(id);
  }

  addStaff(): void {
    const { uuid, text } = this.terms;
    const typed = this.value(uuid ?? caselessPattern(text));
    this.parts.push(`
      SELECT 'staff' AS kind, m.id::text, m.name, m.email AS detail,
        CASE WHEN m.disabled_at IS NULL THEN m.role ELSE 'disabled' END AS status, NULL::uuid AS account_id,
        NULL::uuid AS key_id, NULL AS voice_id, NULL::float8 AS credits, NULL::int AS duration_ms, m.created_at AS at, ${uuid === null ? 0 : 1} AS rank
      FROM staff_auth.member m
      WHERE ${uuid === null ? `plain_text(m.email) ~ ${typed} OR plain_text(m.name) ~ ${typed}` : `m.id::text = ${typed}`}
      ORDER BY m.created_at DESC LIMIT ${this.perKind}`);
  }

  addPrograms(): void {
    const { uuid, lastFour } = this.terms;
    this.addNamed(PROGRAMS, [
      ...(uuid === null ? [] : [`t.id = ${this.value(uuid)}`]),
      ...(lastFour === null ? [] : [`right(t.hint, 4) = ${this.value(lastFour)}`]),
    ]);
  }

  /**
   * Resources with this part in their name, and those that a condition of `exact` names. A common name is among the newest
   * rows; only one that is not is looked up by its trigrams.
   */
  private addNamed(named: Named, exact: string[]): void {
    const { table, alive } = named;
    for (const condition of exact) {
      this.parts.push(
        `${rowsOf(named, '1')} WHERE ${alive} AND ${condition} ORDER BY t.created_at DESC LIMIT ${this.perKind}`,
      );
    }
    if (this.terms.uuid !== null) return;
    const matches = namePart('name', this.terms.text, this.where);
    this.parts.push(`
      WITH newest AS MATERIALIZED (
        SELECT id FROM (
          SELECT id, name, created_at FROM ${table} WHERE ${alive} ORDER BY created_at DESC, id DESC LIMIT ${NEWEST}
        ) n WHERE ${matches} ORDER BY created_at DESC, id DESC LIMIT ${this.perKind}
      ), older AS MATERIALIZED (
        SELECT id, created_at FROM ${table}
        WHERE ${alive} AND ${matches} AND (SELECT count(*) FROM newest) < ${this.perKind} LIMIT ${OLDER}
      )
      ${rowsOf(named, '0')}
      WHERE t.id IN (SELECT id FROM newest UNION
        SELECT id FROM (SELECT id FROM older ORDER BY created_at DESC LIMIT ${this.perKind}) o)
      ORDER BY t.created_at DESC LIMIT ${this.perKind}`);
  }

  /** Resources whose name resembles the text; the index on trigrams has them. */
  addNearest(named: Named): void {
    const { table, alive } = named;
    const text = `${this.value(plainText(this.terms.text))}::text`;
    this.parts.push(`
      WITH resembling AS MATERIALIZED (
        SELECT id, word_similarity(${text}, plain_text(name)) AS similarity FROM ${table}
        WHERE ${alive} AND ${text} <% plain_text(name) LIMIT ${RESEMBLING}
      )
      ${rowsOf(named, 'r.similarity')} JOIN resembling r ON r.id = t.id
      ORDER BY r.similarity DESC, t.created_at DESC LIMIT ${this.perKind}`);
  }

  private addPreviews(id: string): void {
    const input = this.value(id);
    const columns = (kind: SearchKind, condition: string, status: string, limit: number) => `
      SELECT '${kind}' AS kind, p.id, left(p.description, 200) AS name, NULL AS detail, ${status} AS status, p.account_id,
        NULL::uuid AS key_id, p.voice_id, NULL::float8 AS credits, NULL::int AS duration_ms, p.created_at AS at, 1 AS rank
      FROM preview p WHERE ${condition} ORDER BY p.created_at DESC LIMIT ${limit}`;
    const status = `CASE WHEN p.voice_id IS NOT NULL THEN 'became a voice' WHEN p.failed_at IS NOT NULL THEN 'failed'
      WHEN p.expires_at < now() THEN 'expired' ELSE 'ready' END`;
    this.parts.push(columns('preview', `p.id = ${input}`, status, 1));
    this.parts.push(columns('preview', `p.request_id = ${input}`, status, this.perKind));
    this.parts.push(`
      SELECT 'voice' AS kind, t.id, t.name, t.recording_quality AS detail, t.review_state AS status, t.account_id,
        NULL::uuid AS key_id, t.id AS voice_id, NULL::float8 AS credits, NULL::int AS duration_ms, t.created_at AS at, 1 AS rank
      FROM voice t WHERE t.request_id = ${input} ORDER BY t.created_at DESC LIMIT ${this.perKind}`);
  }

  private addRefusals(requestId: string): void {
    this.parts.push(`
      SELECT 'request' AS kind, r.request_id, r.route AS name, r.address AS detail,
        'refused with ' || r.status || ': ' || r.reason AS status, k.account_id, r.key_id, NULL AS voice_id, r.cost::float8 AS credits, NULL::int AS duration_ms, r.at, 1 AS rank
      FROM key_refusal r JOIN api_key k ON k.id = r.key_id
      WHERE r.request_id = ${this.value(requestId)} ORDER BY r.at DESC LIMIT ${this.perKind}`);
  }

  private addRequests(requestId: string): void {
    this.parts.push(`
      SELECT 'request' AS kind, r.request_id, r.route AS name, r.address AS detail, 'let in, response ' || r.status AS status,
        k.account_id, r.key_id, NULL AS voice_id, NULL::float8 AS credits, r.duration_ms, r.at, 1 AS rank
      FROM key_request r JOIN api_key k ON k.id = r.key_id
      WHERE r.request_id = ${this.value(requestId)} ORDER BY r.at DESC LIMIT ${this.perKind}`);
  }

  private addCharges(requestId: string): void {
    const id = `${this.value(requestId)}::text`;
    this.parts.push(`
      SELECT 'request' AS kind, l.request_id, l.operation AS name, NULL AS detail, l.kind AS status,
        l.account_id, l.key_id, NULL AS voice_id, l.amount::float8 AS credits, NULL::int AS duration_ms, l.created_at AS at, 1 AS rank
      FROM credit_ledger l
      WHERE uuid_hash_extended(l.request, 0) = uuid_hash_extended(ledger_request(${id}, ledger_request_form(${id})), 0)
        AND l.request_id = ${id}
      ORDER BY l.created_at DESC LIMIT ${this.perKind}`);
  }

  /** Keys that were used from an address lately. */
  private addSightings(address: string): void {
    this.parts.push(`
      SELECT 'address' AS kind, seen.key_id::text, k.name, ${this.value(address)} AS detail, 'used from here' AS status,
        k.account_id, k.id AS key_id, NULL AS voice_id, NULL::float8 AS credits, NULL::int AS duration_ms, seen.at, 1 AS rank
      FROM (SELECT key_id, max(last_at) AS at FROM (
              SELECT key_id, last_at FROM observed_traffic WHERE address = ${this.value(address)}
              ORDER BY hour DESC LIMIT ${SIGHTINGS}
            ) s GROUP BY key_id) seen
        JOIN api_key k ON k.id = seen.key_id AND k.deleted_at IS NULL
      ORDER BY seen.at DESC LIMIT ${this.perKind}`);
  }

  /** Keys whose allow-list has the address, alone or in a block. */
  private addListed({ text, blocks }: { text: string; blocks: string[] }): void {
    this.parts.push(`
      SELECT 'address' AS kind, k.id::text, k.name, ${this.value(text)} AS detail, 'on the allow-list' AS status, k.account_id,
        k.id AS key_id, NULL AS voice_id, NULL::float8 AS credits, NULL::int AS duration_ms, k.created_at AS at, 1 AS rank
      FROM (SELECT id, name, account_id, created_at FROM api_key
            WHERE allowed_ips IS NOT NULL AND deleted_at IS NULL AND allowed_ips && ${this.value(blocks)}::text[]
            LIMIT ${OLDER}) k
      ORDER BY k.created_at DESC LIMIT ${this.perKind}`);
  }

  private value(value: unknown): string {
    return this.where.value(value);
  }
}
