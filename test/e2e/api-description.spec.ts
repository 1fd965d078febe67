import { readFileSync } from 'node:fs';
import { RouteTable } from '../../apps/api/src/http/route-table';
import { OPENAPI_FILE } from '../../libs/config/openapi-file';
import { Stack } from '../support/stack';

const ASSETS = /(?:href|src)="([^"]+)"/g;

/** Pages for people, which are not part of the API. */
const PAGES = /^\/((docs|console|unsubscribe|admin\/queues\/board)(\/.*)?)?$/;

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

interface Described {
  paths: Record<string, Record<string, { security: object[] }>>;
}

const described = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as Described;

it('what is served at /openapi.json is the whole description', async () => {
  const { status, body } = await stack.request('GET', '/openapi.json');
  expect(status).toBe(200);
  expect(body).toEqual(described);
});

it('every route of the server is described, with the kind of credential that it requires', () => {
  const routes = stack.api
    .get(RouteTable)
    .list()
    .filter(({ method, path }) => !['HEAD', 'OPTIONS'].includes(method) && !PAGES.test(path));
  expect(routes.length).toBeGreaterThan(50);
  // What serves every method, also below its path, is described once.
  const ofEveryMethod = routes.filter(({ method }) => method === 'TRACE').map(({ path }) => path);
  for (const { method, path, access } of routes) {
    const operations = described.paths[path.replace(/\/\*$/, '').replace(/:(\w+)/g, '{$1}')];
    const operation = operations?.[ofEveryMethod.includes(path) ? 'get' : method.toLowerCase()];
    expect([method, path, operation && operation.security.length > 0]).toEqual([
      method,
      path,
      access !== 'public',
    ]);
  }
});

it('/docs and all it loads come from the server itself, which forbids anything else', async () => {
  const { status, headers, bytes } = await stack.request('GET', '/docs');
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  const assets = [...bytes.toString().matchAll(ASSETS)]
    .map(([, url]) => url!)
    .filter((url) => url !== 'data:,');
  expect(assets).toHaveLength(3);
  for (const url of assets) expect([url, (await stack.request('GET', url)).status]).toEqual([url, 200]);
});

it('a file that /docs does not have is not found', async () => {
  const { status } = await stack.request('GET', '/docs/..%2f..%2fpackage.json');
  expect(status).toBe(404);
});
