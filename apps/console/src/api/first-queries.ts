import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query';
import { queryClient } from './client';

export interface Place {
  params: Record<string, string | undefined>;
  search: Record<string, string | undefined>;
}

/** What a screen reads first. Its file exports it, so that it is read while the reader still points at a link to it. */
export type FirstQueries = (place: Place) => { queryKey: QueryKey; queryFn?: unknown }[];

/** Reads what a screen shows first; what is fresh is not read again. */
export function readFirst({ firstQueries }: { firstQueries?: FirstQueries }, place: Place): void {
  for (const query of firstQueries?.(place) ?? []) void queryClient.prefetchQuery(query as FetchQueryOptions);
}
