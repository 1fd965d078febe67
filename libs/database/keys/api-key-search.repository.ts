import { FILTERED_FIELDS } from '@app/domain/keys/key-fields';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { conditionsOf, CREDIT_SHARE, sourceOf, type ApiKeyFilter } from './api-key-filter';
import { ApiKeyPageStatement, type ApiKeyPage } from './api-key-page';
import { VIEW_COLUMNS, VIEW_JOINS, type ApiKeyView } from './api-key-view';
import { isBeginning } from '../common/conditions';

/** Counts up to this are exact. Beyond, an estimate of the planner, so that counting costs no more than listing. */
export const EXACT_COUNT_LIMIT = 10_000;

/** How many keys a page looks at in the order of the list, before it stops expecting frequent matches. */
const WALK_LIMIT = 10_000;
/**
 * The same in the order of names, for each key with the part of a name that is searched: those stand together, and a walk may come
 * to them late. To look at a key there takes a fourth of what it takes to find it by its trigrams and sort it.
 */
const WALK_OF_NAMES = 2;

/** Columns that the conditions of a filter read, and what they are. */
const FILTER_COLUMNS: Record<string, string> = {
  name: 'k.name',
  account_id: 'k.account_id',
  tags: 'k.tags',
  ...Object.fromEntries(FILTERED_FIELDS.map((name) => [name, `k.${name}`])),
  permissions: 'k.permissions',
  allowed_ips: 'k.allowed_ips',
  disable_reason: 'k.disable_reason',
  expires_at: 'k.expires_at',
  last_used_at: 'u.last_used_at',
  credit_share: `${CREDIT_SHARE} AS credit_share`,
};

/** A key with its position in a list. */
export type PlacedApiKey = ApiKeyView & { position: string };

interface FoundApiKeys {
  rows: PlacedApiKey[];
  total: number;
  /** Whether the total is an estimate. */
  estimated: boolean;
}

/**
 * Reads keys for people: lists among millions, and one key with everything that is shown of it.
 *
 * No plan is good for every filter: a rare name is found by its trigrams and then sorted, a common one by walking the
 * order of the list until the page is full. The planner knows only on average which is which, so this code chooses,
 * and a walk that finds too little is ended.
 */
@Injectable()
export class ApiKeySearchRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** A key that is not deleted, or null. `deleted`: also one that can be restored. */
  async find(
    id: string,
    em: EntityManager = this.dataSource.manager,
    { deleted = false } = {},
  ): Promise<ApiKeyView | null> {
    const [view] = await em.query<ApiKeyView[]>(
      `SELECT ${VIEW_COLUMNS} FROM api_key k ${VIEW_JOINS} WHERE k.id = $1 AND (k.deleted_at IS NULL OR $2 AND k.removed_at IS NULL)`,
      [id, deleted],
    );
    return view ?? null;
  }

  /** Keys of service accounts, oldest first. */
  async listOfServiceAccounts(ids: string[]): Promise<ApiKeyView[]> {
    return this.dataSource.query(
      `SELECT ${VIEW_COLUMNS} FROM api_key k ${VIEW_JOINS}
       WHERE k.service_account_id = ANY ($1) AND k.deleted_at IS NULL ORDER BY k.created_at, k.id`,
      [ids],
    );
  }

  /** One page of keys, and how many there are on all pages. */
  async search(
    filter: ApiKeyFilter,
    page: ApiKeyPage,
    em: EntityManager = this.dataSource.manager,
  ): Promise<FoundApiKeys> {
    const estimate = await this.estimate(filter, em);
    if (estimate <= EXACT_COUNT_LIMIT) {
      const { rows, total } = await this.findAll(filter, page, EXACT_COUNT_LIMIT + 1, em);
      if (total <= EXACT_COUNT_LIMIT) return { rows, total, estimated: false };
    }
    const byName = isSortedByWhatIsSearched(filter, page);
    if (page.order === 'credit_share' || (byName && isBeginning(filter.namePart!)))
      return { rows: await this.list(filter, page, em), ...estimated(estimate) };
    const most = byName ? estimate * WALK_OF_NAMES : WALK_LIMIT;
    const walked = await this.walk(filter, page, Math.ceil(most), em);
    const { rows } =
      walked.length === page.limit ? { rows: walked } : await this.findAll(filter, page, null, em);
    return { rows, ...estimated(estimate) };
  }

  /** One page of keys by the plan that the planner finds best on average. */
  async list(
    filter: ApiKeyFilter,
    page: ApiKeyPage,
    em: EntityManager = this.dataSource.manager,
  ): Promise<PlacedApiKey[]> {
    const statement = new ApiKeyPageStatement(filter, page);
    const places = `SELECT k.id, ${statement.position} FROM ${statement.source} WHERE ${statement.where()} AND ${statement.after()}`;
    return em.query(statement.read(places), statement.values);
  }

  /** How many keys match: exact up to `EXACT_COUNT_LIMIT`, one more beyond it. */
  async count(filter: ApiKeyFilter, em: EntityManager = this.dataSource.manager): Promise<number> {
    const where = conditionsOf(filter);
    const [row] = await em.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM (
         SELECT FROM ${sourceOf(filter)} WHERE ${where.sql} LIMIT ${EXACT_COUNT_LIMIT + 1}
       ) counted`,
      where.values,
    );
    return row!.total;
  }

  /**
   * Finds the places of everything that matches, counts and sorts them.
   *
   * @param atMost null for all of them; otherwise the page is not right when the total reaches it
   */
  private async findAll(
    filter: ApiKeyFilter,
    page: ApiKeyPage,
    atMost: number | null,
    em: EntityManager,
  ): Promise<{ rows: PlacedApiKey[]; total: number }> {
    const statement = new ApiKeyPageStatement(filter, page);
    const found = `SELECT k.id, ${statement.position} FROM ${statement.source} WHERE ${statement.where()} LIMIT ${atMost ?? 'ALL'}`;
    const places = `SELECT * FROM found WHERE ${statement.after({ value: 'position', id: 'id' })}`;
    const rows = await em.query<(PlacedApiKey & { total: number })[]>(
      `WITH found AS MATERIALIZED (${found})
       ${statement.read(places, ', (SELECT count(*) FROM found)::int AS total')}`,
      statement.values,
    );
    return { rows, total: rows[0]?.total ?? (page.after ? await this.count(filter, em) : 0) };
  }

  /**
   * Looks at the next keys in the order of the list and takes those that match; a page that is not full may lack some. It
   * reads only the columns that the filter needs, which for a name are all in the index.
   */
  private async walk(
    filter: ApiKeyFilter,
    page: ApiKeyPage,
    most: number,
    em: EntityManager,
  ): Promise<PlacedApiKey[]> {
    const statement = new ApiKeyPageStatement(filter, page);
    const { accountId, serviceAccountId, ...rest } = filter;
    const status = rest.status === 'deleted' ? rest.status : undefined;
    const matching = statement.narrow(rest);
    const columns = Object.entries(FILTER_COLUMNS)
      .filter(([column]) => matching.includes(`k.${column}`))
      .map(([, value]) => value)
      .join(', ');
    const next = `
      SELECT k.id, ${columns && `${columns}, `}${statement.position} FROM ${statement.source}
      WHERE ${statement.where({ accountId, serviceAccountId, status })} AND ${statement.after()}
      ORDER BY ${statement.orderBy} LIMIT ${most}`;
    const places = `SELECT k.id, k.position FROM (${next}) k WHERE ${matching}`;
    return em.query(statement.read(places), statement.values);
  }

  private async estimate(filter: ApiKeyFilter, em: EntityManager): Promise<number> {
    const where = conditionsOf(filter);
    const [row] = await em.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }[]>(
      `EXPLAIN (FORMAT JSON) SELECT FROM ${sourceOf(filter)} WHERE ${where.sql}`,
      where.values,
    );
    return row!['QUERY PLAN'][0].Plan['Plan Rows'];
  }
}

function estimated(estimate: number): { total: number; estimated: boolean } {
  return { total: Math.max(estimate, EXACT_COUNT_LIMIT + 1), estimated: true };
}

function isSortedByWhatIsSearched(filter: ApiKeyFilter, { order }: ApiKeyPage): boolean {
  return order === 'name' && filter.namePart !== undefined;
}
