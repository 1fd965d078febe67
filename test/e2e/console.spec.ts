import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from '../support/stack';

let stack: Stack;
let page: string;
let script: string;

/** The console is built with the rest (`npm run build`), like what worker threads run. */
const BUILT = existsSync(join(__dirname, '../../dist/console/index.html'));

beforeAll(async () => {
  if (!BUILT) throw new Error('The console has not been built: npm run build.');
  stack = await Stack.start({ worker: false });
  page = (await stack.request('GET', '/console/')).bytes.toString();
  script = /src="(\/console\/assets\/main-[^"]+\.js)"/.exec(page)?.[1] ?? '';
});

afterAll(async () => {
  await stack.stop();
});

const get = (path: string, headers: Record<string, string> = {}) => stack.request('GET', path, { headers });

describe('200', () => {
  it.each(['/console', '/console/', '/console/accounts/8c1f1b1e', '/console/api-keys?status=disabled'])(
    '%s is the page, whatever the screen: never kept, never framed, with no script but our files',
    async (path) => {
      const { status, headers, bytes } = await get(path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain(`default-src 'none'; script-src 'self'; style-src 'self' 'nonce-`);
      expect(policy).toContain(`frame-ancestors 'none'`);
      expect(policy).not.toContain('unsafe');
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
      expect(bytes.toString()).toContain(`nonce="${nonce}"`);
      expect(bytes.toString()).not.toContain('__CSP_NONCE__');
    },
  );

  it('every page has a nonce of its own', async () => {
    const policies = await Promise.all([get('/console/'), get('/console/')]);
    const [first, second] = policies.map(({ headers }) => headers.get('content-security-policy'));
    expect(first).not.toBe(second);
  });

  it('a file whose name changes with its content is kept for a year, and compressed for who can read that', async () => {
    const plain = await get(script, { 'accept-encoding': 'identity' });
    const { headers } = plain;
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    for (const [accepted, coding, share] of [
      ['gzip, deflate, br', 'br', 0.4],
      ['gzip', 'gzip', 0.5],
    ] as const) {
      const compressed = await get(script, { 'accept-encoding': accepted });
      expect(compressed.headers.get('content-encoding')).toBe(coding);
      expect(compressed.headers.get('vary')).toBe('accept-encoding');
      expect(compressed.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(Number(compressed.headers.get('content-length'))).toBeLessThan(plain.bytes.length * share);
      expect(compressed.bytes.equals(plain.bytes)).toBe(true);
    }
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('vary')).toBe('accept-encoding');
  });
});

describe('302', () => {
  it('the address without a path leads to the console', async () => {
    const response = await fetch(`${stack.baseUrl}/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console/']);
  });
});

describe('404', () => {
  it.each(['/console/assets/gone.js', '/console/assets/', '/console/assets/..%2findex.html'])(
    '%s is neither a file nor a page',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});

it('what the build has compressed is no file of its own', async () => {
  expect([(await get(`${script}.br`)).status, (await get(`${script}.gz`)).status]).toEqual([404, 404]);
});

describe('paths that lead elsewhere', () => {
  it.each(['..%2f..%2fpackage.json', '%2e%2e%2fsrc%2fmain.js', 'a%00b', '..%5c..%5cpackage.json'])(
    '%s shows nothing but the page',
    async (path) => {
      const { status, bytes } = await get(`/console/${path}`);
      expect([200, 404]).toContain(status);
      expect(bytes.toString()).not.toMatch(/"dependencies"|require\(/);
    },
  );
});
