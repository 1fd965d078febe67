import { dayText, localDay } from '@app/domain/common/date-text';
import { DAY_MS } from '@app/domain/common/utc-days';
import { humanize } from './number';

/** The parameters of a list in an address. */
export type ListSearch = Record<string, string | undefined>;

interface Choice {
  value: string;
  label: string;
}

/** Values with what each is called; one alone is called what it is. */
type Choices = readonly (string | Choice)[] | Record<string, string>;

/** A filter of a list: the name of its parameter, its label, and its choices or the kind of its value. */
export type Filter = { name: string; label: string } & (
  | { kind?: undefined; choices: Choices }
  | { kind: 'search' | 'account' }
  | { kind: 'text'; placeholder?: string }
  /** An account manager by id, or one of the choices. */
  | { kind: 'manager'; choices: Choices }
  /** A day, or a number of days from today such as `-90d`: a saved view stays true. */
  | { kind: 'date' }
);

const DAYS = /^([+-])(\d{1,4})d$/;
/** Parameters of every list, beside its filters. */
export const PAGING = ['sort', 'cursor', 'limit'];

export function named(choices: Choices): Choice[] {
  if (!isList(choices)) return Object.entries(choices).map(([value, label]) => ({ value, label }));
  return choices.map((each) => (typeof each === 'string' ? { value: each, label: humanize(each) } : each));
}

const isList = (choices: Choices): choices is readonly (string | Choice)[] => Array.isArray(choices);

/** What a list knows of an address; anything else changes nothing. */
export function knownOf(search: ListSearch, filters: readonly Filter[]): ListSearch {
  const known = new Set([...PAGING, ...filters.map(({ name }) => name)]);
  return Object.fromEntries(
    Object.entries(search).filter(([name, value]) => known.has(name) && value !== undefined && value !== ''),
  );
}

/** Values as the api takes them: with dates for numbers of days. */
export function toApiValues(
  search: ListSearch,
  filters: readonly Filter[],
  now: number = Date.now(),
): ListSearch {
  const dates = new Set(filters.filter(({ kind }) => kind === 'date').map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, dates.has(name) ? toDate(value ?? '', now) : value]),
  );
}

export function describeValue(filter: Filter, value: string): string {
  if ('choices' in filter)
    return named(filter.choices).find((choice) => choice.value === value)?.label ?? value;
  if (filter.kind !== 'date') return value;
  const [, sign, days] = DAYS.exec(value) ?? [];
  if (days !== undefined) return sign === '-' ? `${days} days ago` : `in ${days} days`;
  return Number.isNaN(Date.parse(value)) ? value : dayText(value, 'UTC');
}

/** Filters in words: `Status “disabled”, Not used since “90 days ago”`. */
export function describeAll(search: ListSearch, filters: readonly Filter[]): string {
  return filters
    .filter(({ name }) => search[name])
    .map((filter) => `${filter.label} “${describeValue(filter, search[filter.name] ?? '')}”`)
    .join(', ');
}

function toDate(value: string, now: number): string {
  const [, sign, days] = DAYS.exec(value) ?? [];
  if (days === undefined) return value;
  return localDay(now + (sign === '-' ? -1 : 1) * Number(days) * DAY_MS);
}
