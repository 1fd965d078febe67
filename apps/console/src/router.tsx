import { withoutSecrets } from '@app/domain/keys/secret-text';
import { createRouter } from '@tanstack/react-router';
import { routeTree } from './routes';

/** Values stay text: what is in the address goes to the server as it is. Of a secret, only the last four are ever in it. */
export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
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

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
