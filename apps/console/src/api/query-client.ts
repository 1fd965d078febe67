import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './problem';

const TRIES = 2;

/** What was read is shown at once and read again when it is older than this. */
const FRESH_MS = 5_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    // A browser may report no network although the server is reachable: send the request anyway.
    queries: {
      networkMode: 'always',
      staleTime: FRESH_MS,
      retry: (tries, error) => error instanceof ApiProblem && error.isPassing && tries < TRIES,
      retryDelay: 800,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
