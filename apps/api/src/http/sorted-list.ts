import { isUuid } from '@app/domain/common/uuid';
import { daysOf } from '@app/domain/common/times';
import { DomainError } from '@app/domain/errors';
import { readPage, type ListIdentity, type PageQuery, type Position } from './pagination';

/** As PostgreSQL writes a timestamptz. */
const TIME = /^(\d{4})-(\d{2})-(\d{2}) ([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?[+-](0\d|1[0-4])(:[0-5]\d)?$/;

type ValueType = 'timestamptz' | 'text' | 'float8';

/** Whether PostgreSQL can read a value of a type back: a cursor is text that any client can write. */
const IS_VALUE: Record<ValueType, (value: string) => boolean> = {
  timestamptz: isTime,
  text: () => true,
  float8: (value) => /^-?\d{1,17}(\.\d{1,17})?(e[+-]\d{1,2})?$/.test(value),
};

/** How a list is to be sorted, and the part of it that is requested. */
interface SortedPage<Order extends string> {
  order: Order;
  descending: boolean;
  after: { value: string; id: string } | null;
  limit: number;
}

/** `name` and `-name` for every order. */
export function sortNames(orders: object): string[] {
  return Object.keys(orders).flatMap((order) => [order, `-${order}`]);
}

/**
 * Reads the sort and the cursor of a list whose positions are the sorted value and an id.
 *
 * @param orders the type of each order's value
 * @param sort one of `sortNames(orders)`
 * @param isId whether a text can be an id of the list
 * @throws DomainError `invalid_cursor` when the cursor's position cannot be one of this order
 */
export function readSortedPage<Order extends string>(
  orders: Record<Order, { type: ValueType }>,
  sort: string,
  query: PageQuery,
  list: ListIdentity,
  isId: (text: string) => boolean = isUuid,
): SortedPage<Order> {
  const order = sort.replace(/^-/, '') as Order;
  const { limit, after } = readPage(query, list, 2);
  return {
    order,
    descending: sort.startsWith('-'),
    after: after && toPosition(after, orders[order].type, list, isId),
    limit,
  };
}

/**
 * The sorted value and the id of a cursor's position.
 *
 * @throws DomainError `invalid_cursor` when they cannot be such
 */
export function toPosition(
  [value, id]: Position,
  type: ValueType,
  { param = 'cursor' }: ListIdentity,
  isId: (text: string) => boolean,
): { value: string; id: string } {
  const wellFormed = typeof value === 'string' && typeof id === 'string' && isId(id) && IS_VALUE[type](value);
  if (!wellFormed) throw new DomainError('invalid_cursor', { reason: 'it is damaged' }, { param });
  return { value, id };
}

function isTime(value: string): boolean {
  if (value === 'infinity' || value === '-infinity') return true;
  const [, year, month, day] = TIME.exec(value)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}
