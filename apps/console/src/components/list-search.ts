import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import { knownOf, PAGING, toApiValues, type Filter, type ListSearch } from './list-filters';
import { withInstants } from './day';
import { readPage, type api, type Arguments, type PathWith, type FirstQueries } from '../api/client';

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
    filter: (patch: ListSearch) => go({ ...search, ...patch, cursor: undefined }, false),
    /** Narrows while a text is typed: going back leads to before it, not to each of its letters. */
    searchFor: (patch: ListSearch) => {
      const isTyping = Object.keys(patch).some((name) => search[name] !== undefined);
      go({ ...search, ...patch, cursor: undefined }, isTyping);
    },
    sortBy: (sort: string) => go({ ...search, sort, cursor: undefined }, false),
    toPage: (cursor: string | undefined) => go({ ...search, cursor }, false),
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
export function filtersOf(search: ListSearch): ListSearch {
  const filters = Object.entries(search).filter(([name, value]) => value && !PAGING.includes(name));
  return Object.fromEntries(filters);
}

/** Filters as a query of the api, days as instants in the reader's zone. They are the reader's text; the server checks them and says what is wrong. */
export const asQuery = (search: ListSearch): never => withInstants(search) as never;

/** The same as the query of a link. */
export const asQueryText = (filters: ListSearch): string =>
  new URLSearchParams(withInstants(filters) as Record<string, string>).toString();

interface Listing<Page> {
  filters: readonly Filter[];
  queryOf: (list: Listed) => UseQueryOptions<Page>;
  firstQueries: FirstQueries;
}

/**
 * A list of the api, under the key that changes of it are announced by.
 *
 * @param filters what its reader can narrow it to
 * @param fixed what its screen has narrowed it to
 */
export function listing<const Path extends PathWith<'GET'>>(
  key: QueryKey,
  path: Path,
  filters: readonly Filter[] = [],
  fixed: ListSearch = {},
): Listing<Awaited<ReturnType<typeof api.GET<Path>>>> {
  const queryOf = ({ search, query }: Listed) => {
    const params = [{ ...(query as object), ...fixed }] as unknown as Arguments<'GET', Path>;
    return readPage([...key, { ...search, ...fixed }], path, ...params) as UseQueryOptions<never>;
  };
  return { filters, queryOf, firstQueries: ({ search }) => [queryOf(listOf(search, filters))] };
}

/** How many rows a list would have. */
export type CountOf = (search: ListSearch) => UseQueryOptions<{ total: number; total_is_estimate?: boolean }>;

/** The page of it that stands in the address. */
export function useListing<Page>(
  { filters, queryOf }: Listing<Page>,
  options: { refetchInterval?: number } = {},
) {
  const list = useListSearch(filters);
  const countOf: CountOf = (search) =>
    queryOf(listOf({ ...filtersOf(search), limit: '1' }, filters)) as never;
  return { list, query: useQuery({ ...queryOf(list), ...options }), countOf };
}
