import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { knownOf, toApiValues, type Filter, type ListSearch } from './list-filters';
import { withInstants } from './day';

export type List = ReturnType<typeof useListSearch>;
export type Listed = ReturnType<typeof listOf>;

/** The part of an address that says which list is shown, and the same as a query of the api. */
export function listOf(input: ListSearch, filters: readonly Filter[] = []) {
  const search = knownOf(input, filters);
  return { search, query: asQuery(toApiValues(search, filters)) };
}

/**
 * The filters, the order and the page of a list, as they stand in the address of the page: a link shows the same list, and
 * the browser's back button reverts a filter. Parameters that are none of `filters` change nothing.
 */
export function useListSearch(filters: readonly Filter[] = []) {
  const { search, query } = listOf(useSearch({ strict: false }), filters);
  const router = useRouter();
  const navigate = useNavigate();
  const go = (next: ListSearch, replace: boolean) => void navigate({ to: '.', search: next, replace });
  return {
    filters,
    search,
    /** Narrows or widens the list, from its beginning. */
    filter: (patch: ListSearch) => go({ ...search, ...patch, cursor: undefined }, false),
    /** The same while a text is typed: going back leads to before it, not to each of its letters. */
    searchFor: (patch: ListSearch) => {
      const isTyping = Object.keys(patch).some((name) => search[name] !== undefined);
      go({ ...search, ...patch, cursor: undefined }, isTyping);
    },
    sortBy: (sort: string) => go({ ...search, sort, cursor: undefined }, false),
    toPage: (cursor: string | undefined) => go({ ...search, cursor }, false),
    /** Shows another list: a preset, or a saved view. */
    show: (next: ListSearch) => go(next, false),
    clear: () => go({}, false),
    prepare: (next: ListSearch) => {
      const { staticData, params } = router.state.matches.at(-1)!;
      staticData.prepare?.({ params, search: next });
    },
    query,
  };
}

/** Only filters: no order, no page. What an export or a bulk action is about. */
export function filtersOf({
  cursor: _cursor,
  sort: _sort,
  limit: _limit,
  ...filters
}: ListSearch): ListSearch {
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined && value !== ''),
  );
}

/** Filters as a query of the api, days as instants in the reader's zone. They are the reader's text; the server checks them and says what is wrong. */
export const asQuery = (search: ListSearch): never => withInstants(search) as never;

/** The same as the query of a link. */
export const asQueryText = (filters: ListSearch): string =>
  new URLSearchParams(withInstants(filters) as Record<string, string>).toString();
