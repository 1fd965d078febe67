import { withoutSecrets } from '@app/domain/keys/secret-text';
import { createRouter } from '@tanstack/react-router';
import { type Place, meQuery, queryClient } from './api/client';
import { routeTree } from './routes';

/** Values stay text: what is in the address goes to the server as it is. Of a secret, only the last four are ever in it. */
export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  // What was read is remembered, and found old, by the queries.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(withoutSecrets(text))),
  stringifySearch: (search) => {
    const input = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(
      input.map(([name, value]) => [name, withoutSecrets(String(value))]),
    ).toString();
    return text && `?${text}`;
  },
});

/** Fetches who is signed in and the files of the first screen at once, and what it shows before anything is drawn. */
export function fetchTogether(): void {
  void queryClient.prefetchQuery(meQuery);
  for (const { routeId, params, search } of router.matchRoutes(router.latestLocation)) {
    const { component, staticData } = router.routesById[routeId]?.options ?? {};
    void component?.preload?.();
    staticData?.prepare?.({ params, search } as Place);
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
