import { DomainError } from '@app/domain/errors';
import { createHash } from 'node:crypto';
import { checkString, withSchema } from '@app/domain/common/field-checks';
import { CheckedField, StringField } from './fields';
import { ValidationProblem } from './wire-problem';

/**
 * Lists in pages with opaque cursors.
 *
 *     const list: ListIdentity = { name: 'accounts', filter: { tier, search }, sort: 'name' };
 *     const { limit, after } = readPage(query, list, 2);                // query: a class that extends PageQuery
 *     const rows = await repository.list(filter, { after, limit: limit + 1 });   // after: [name, id] | null
 *     return toPage(rows, limit, list, total, (row) => [row.name, row.id]);
 *
 * `after` is the position of the last row of the page before: read on with a row comparison such as
 * `(name, id) > ($1, $2)` on a unique, stable order. A cursor works only for the list, the filter and the order it was
 * created for. It grants nothing: with any cursor a client only reads its own list from another place.
 */
export interface ListIdentity {
  name: string;
  /** What the list is narrowed to; undefined values do not count. */
  filter?: Record<string, unknown>;
  sort?: string;
  /** The parameter that carries the cursor, if it is not `cursor`. */
  param?: string;
}

export type Position = (string | number | null)[];

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** A position may be a name of 500 characters, of up to 6 bytes each, as base64. */
export const MAX_CURSOR_LENGTH = 4_500;

const LIMIT_SCHEMA = { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT } as const;

/** A whole number, as text because it comes in a query; `readPage` reads it. */
export const LimitField = () =>
  CheckedField(withSchema(LIMIT_SCHEMA, checkString({ max: 20 })), { optional: true });

export const CursorField = () => StringField({ optional: true, max: MAX_CURSOR_LENGTH });

/** What the query of every list has. */
export class PageQuery {
  /** Rows on a page. */
  @LimitField()
  limit?: string;

  /** `next_cursor` of the page before. */
  @CursorField()
  cursor?: string;
}

export interface Page<T> {
  items: T[];
  /** Give it back as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
  /** Rows on all pages together. */
  total: number;
}

/**
 * @param width parts of a position
 * @throws ValidationProblem for a limit that is not accepted, DomainError `invalid_cursor` for a cursor
 */
export function readPage(
  query: PageQuery,
  list: ListIdentity,
  width: number,
): { limit: number; after: Position | null } {
  return {
    limit: readLimit(query.limit),
    after: query.cursor ? decodeCursor(query.cursor, list, width) : null,
  };
}

/** The page of `limit + 1` rows that were read: the last one only says that there is more. */
export function toPage<T>(
  rows: T[],
  limit: number,
  list: ListIdentity,
  total: number,
  positionOf: (row: T) => Position,
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, next_cursor: more ? encodeCursor(positionOf(last), list) : null, total };
}

export function encodeCursor(position: Position, list: ListIdentity): string {
  return Buffer.from(JSON.stringify([list.name, fingerprint(list), ...position])).toString('base64url');
}

/** @throws DomainError `invalid_cursor` for a cursor that is damaged or belongs to another list, filter or order */
export function decodeCursor(cursor: string, list: ListIdentity, width: number): Position {
  const [name, print, ...position] = parse(cursor, list);
  if (name !== list.name) throw refuse(`it belongs to another list ('${String(name).slice(0, 40)}')`, list);
  if (print !== fingerprint(list)) throw refuse('it belongs to another filter or order', list);
  if (position.length !== width || !position.every(isPart)) throw refuse('it is damaged', list);
  return position;
}

function parse(cursor: string, list: ListIdentity): unknown[] {
  if (cursor.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(cursor)) throw refuse('it is damaged', list);
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // Falls through: not JSON is as damaged as JSON of another form.
  }
  throw refuse('it is damaged', list);
}

function isPart(part: unknown): part is string | number | null {
  if (typeof part === 'string') return part.isWellFormed() && !part.includes('\0');
  return part === null || Number.isFinite(part);
}

function fingerprint({ filter = {}, sort = '' }: ListIdentity): string {
  const input = Object.entries(filter).filter(([, value]) => value !== undefined);
  const text = JSON.stringify([sort, ...input.sort(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 10);
}

function readLimit(input: string | undefined): number {
  if (input === undefined || input === '') return DEFAULT_LIMIT;
  if (/^\d{1,6}$/.test(input) && Number(input) >= 1 && Number(input) <= MAX_LIMIT) return Number(input);
  const accepted = `a whole number from 1 to ${MAX_LIMIT}`;
  throw new ValidationProblem([
    {
      type: 'int_parsing',
      loc: ['query', 'limit'],
      msg: `Input should be ${accepted}`,
      input: input,
      ctx: { accepted },
    },
  ]);
}

function refuse(reason: string, { param = 'cursor' }: ListIdentity): DomainError {
  return new DomainError('invalid_cursor', { reason }, { param });
}
