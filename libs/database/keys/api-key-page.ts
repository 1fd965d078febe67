import {
  addConditions,
  API_KEY_ORDERS,
  conditionsOf,
  sourceOf,
  type ApiKeyFilter,
  type ApiKeyOrder,
} from './api-key-filter';
import { VIEW_COLUMNS, VIEW_JOINS } from './api-key-view';
import { Conditions } from '../common/conditions';

export interface ApiKeyPage {
  order: ApiKeyOrder;
  descending: boolean;
  /** Where the page starts: after the key with this value and id. */
  after: { value: string; id: string } | null;
  limit: number;
}

/** A statement that reads a page of keys, part by part; `values` are those of the parts that were requested. */
export class ApiKeyPageStatement {
  readonly values: unknown[] = [];
  readonly source: string;
  /** What is selected of each key, besides its id: its position in the list. */
  readonly position: string;

  constructor(
    private readonly filter: ApiKeyFilter,
    private readonly page: ApiKeyPage,
  ) {
    this.source = sourceOf(filter, page.order);
    this.position = `${API_KEY_ORDERS[page.order].value} AS position`;
  }

  /** The conditions that a key matches the filter, or a part of it, and is not deleted. */
  where(filter: ApiKeyFilter = this.filter): string {
    return conditionsOf(filter, this.values).sql;
  }

  /** The conditions of a part of the filter on rows `k` that have its columns, the last use and the share of credits included. */
  narrow(filter: ApiKeyFilter): string {
    const conditions = new Conditions(this.values);
    addConditions(filter, conditions, { use: 'k', share: 'k.credit_share' });
    return conditions.sql;
  }

  /** That a key comes after the page before. */
  after(columns?: { value: string; id: string }): string {
    const { order, descending, after } = this.page;
    if (!after) return 'true';
    const { value, id } = columns ?? API_KEY_ORDERS[order];
    const [afterValue, afterId] = [this.values.push(after.value), this.values.push(after.id)];
    const { type } = API_KEY_ORDERS[order];
    return `(${value}, ${id}) ${descending ? '<' : '>'} ($${afterValue}::${type}, $${afterId}::uuid)`;
  }

  /** The order of the list, by the names of what is selected. */
  get orderBy(): string {
    const direction = this.page.descending ? 'DESC' : 'ASC';
    return `position ${direction}, id ${direction}`;
  }

  /** The whole statement: sorts the places, cuts the page out and reads its keys in full. */
  read(places: string, moreColumns = ''): string {
    const limit = `$${this.values.push(this.page.limit)}`;
    const direction = this.page.descending ? 'DESC' : 'ASC';
    return `SELECT ${VIEW_COLUMNS}, page.position::text${moreColumns}
      FROM (${places} ORDER BY ${this.orderBy} LIMIT ${limit}) page JOIN api_key k ON k.id = page.id ${VIEW_JOINS}
      ORDER BY page.position ${direction}, page.id ${direction}`;
  }
}
