import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiProblem } from './problem';

const TRIES = 2;

/** What was read is shown at once and read again when it is older than this. */
const FRESH_MS = 5_000;
/** As long as a session idles: what was opened before is drawn from memory. */
const REMEMBERED_MS = 30 * 60_000;

/** The key of the signed-in member of staff. */
export const ME_KEY = ['me'];

/** What the member may do has changed if the console offered something that the server refuses: their role is read again. */
function readMeAgain(error: unknown): void {
  if (error instanceof ApiProblem && error.status === 403) void refresh(ME_KEY);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: readMeAgain }),
  mutationCache: new MutationCache({ onError: readMeAgain }),
  defaultOptions: {
    // A browser may report no network although the server is reachable: send the request anyway.
    queries: {
      networkMode: 'always',
      staleTime: FRESH_MS,
      gcTime: REMEMBERED_MS,
      retry: (tries, error) => error instanceof ApiProblem && error.isPassing && tries < TRIES,
      retryDelay: 800,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Draws a change before the server has it; returns what reverts it. */
export function assume<T>(queryKey: QueryKey, change: Partial<T>): () => void {
  // What was requested before would take it away.
  void queryClient.cancelQueries({ queryKey });
  const before = queryClient.getQueryData<T>(queryKey);
  queryClient.setQueryData<T>(queryKey, (shown) => shown && { ...shown, ...change });
  return () => queryClient.setQueryData(queryKey, before);
}

/** Reads again what is shown under keys that begin so. */
export const refresh = (...keys: QueryKey[]) =>
  Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
