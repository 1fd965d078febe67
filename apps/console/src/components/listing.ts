import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import { readPage, type api, type Arguments, type PathWith } from '../api/client';
import type { FirstQueries } from '../api/first-queries';
import type { Filter, ListSearch } from './list-filters';
import { listOf, useListSearch, type Listed } from './list-search';

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

/** The page of it that stands in the address. */
export function useListing<Page>(
  { filters, queryOf }: Listing<Page>,
  options: { refetchInterval?: number } = {},
) {
  const list = useListSearch(filters);
  return { list, query: useQuery({ ...queryOf(list), ...options }) };
}
