import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Greenroom } from './greenroom.ts';
import { GreenroomError } from './greenroom-error.ts';

type Reply = { status: number; headers?: Record<string, string>; body?: unknown } | 'hang up';

/** A server that replies as it is told, and remembers what it was sent. */
class Replies {
  readonly requests: { method: string; url: string; key: string | undefined; body: string }[] = [];
  private replies: Reply[] = [];
  private readonly server: Server = createServer((request, response) => {
    void this.remember(request).then(() => {
      const reply = this.replies.shift() ?? { status: 200, body: {} };
      if (reply === 'hang up') return request.socket.destroy();
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      return response.end(JSON.stringify(reply.body ?? {}));
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  will(...replies: Reply[]): void {
    this.replies = replies;
    this.requests.length = 0;
  }

  private async remember(request: IncomingMessage): Promise<void> {
    const { method = '', url = '', headers } = request;
    expect(headers['x-client-repeatable']).toBeUndefined();
    let body = '';
    for await (const chunk of request) body += String(chunk);
    this.requests.push({ method, url, key: headers['idempotency-key'] as string | undefined, body });
  }
}

const server = new Replies();
let greenroom: Greenroom;

beforeAll(async () => {
  greenroom = new Greenroom({ url: await server.start(), credential: 'grm_test', maxWaitMs: 2_000 });
});
afterAll(() => server.stop());

const AWAY: Reply = { status: 503, headers: { 'retry-after': '0' } };
const BUSY: Reply = { status: 429, headers: { 'retry-after': '0' } };
const CREATED: Reply = { status: 201, body: { id: 'a' } };
const ACCOUNT = { name: 'a', tier: 'free', reason: 'A test' } as const;
const EDIT = {
  params: { path: { account_id: 'a' }, header: { 'If-Match': '"v1"' } },
  body: { reason: 'A test' },
};
const GRANT = { ...EDIT, body: { kind: 'grant', amount: 1, reason: 'A test' } } as const;
const failure = (call: Promise<unknown>) =>
  call.then(
    () => Promise.reject(new Error('It should fail.')),
    (error: unknown) => error as GreenroomError,
  );

describe('sends again', () => {
  it.each<[string, Reply]>([
    ['503', AWAY],
    ['a lost connection', 'hang up'],
    ['429', BUSY],
  ])('what only reads, after %s', async (_, reply) => {
    server.will(reply, { status: 200, body: { id: 'me' } });
    await expect(greenroom.get('/admin/me')).resolves.toEqual({ id: 'me' });
    expect(server.requests).toHaveLength(2);
  });

  it('a creation, with the same Idempotency-Key', async () => {
    server.will('hang up', AWAY, CREATED);
    await expect(greenroom.post('/admin/accounts', { body: ACCOUNT })).resolves.toEqual({ id: 'a' });
    const keys = server.requests.map(({ key }) => key);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], keys[0]]);
    expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      ACCOUNT,
      ACCOUNT,
      ACCOUNT,
    ]);
  });

  it('a creation with the key that the caller has chosen', async () => {
    server.will(AWAY, CREATED);
    const params = { header: { 'Idempotency-Key': 'order-1' } };
    await greenroom.post('/admin/accounts', { params, body: ACCOUNT });
    expect(server.requests.map(({ key }) => key)).toEqual(['order-1', 'order-1']);
  });

  it('a charge, with the same request id', async () => {
    server.will('hang up', { status: 200, body: { active: true } });
    await greenroom.introspect('grk_a', { cost: 5 });
    const ids = server.requests.map(({ body }) => (JSON.parse(body) as { request_id: string }).request_id);
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), ids[0]]);
  });

  it('every change after 429, which has had no effect', async () => {
    server.will(BUSY, { status: 200, body: { id: 'a' } });
    await greenroom.patch('/admin/accounts/{account_id}', EDIT);
    expect(server.requests).toHaveLength(2);
  });

  it('at the time that the server names', async () => {
    server.will({ status: 429, headers: { 'retry-after': '1' } }, { status: 200 });
    const start = performance.now();
    await greenroom.get('/admin/me');
    expect(performance.now() - start).toBeGreaterThan(950);
  });
});

describe('never sends again', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a grant', () => greenroom.post('/admin/accounts/{account_id}/credits', GRANT)],
    ['an edit', () => greenroom.patch('/admin/accounts/{account_id}', EDIT)],
    ['a single-use token', () => greenroom.introspect('grt_a', {})],
    ['one of another cell, in a batch', () => greenroom.introspectAll([{ key: 'grk_a' }, { key: 'gct_a' }])],
  ])('%s whose outcome is not known', async (_, call) => {
    for (const reply of [AWAY, 'hang up'] as const) {
      server.will(reply, { status: 200 });
      await failure(call());
      expect(server.requests).toHaveLength(1);
    }
  });

  it('what was refused', async () => {
    server.will({ status: 404, body: { detail: 'No account has the id a', code: 'account_not_found' } });
    const error = await failure(greenroom.get('/admin/me'));
    expect([error.status, error.code, error.message]).toEqual([
      404,
      'account_not_found',
      'No account has the id a',
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it('before a wait that is longer than the caller accepts: it has the wait', async () => {
    server.will({ status: 429, headers: { 'retry-after': '3600', 'x-request-id': 'r' }, body: {} });
    const { status, retryAfterSecs, requestId } = await failure(greenroom.get('/admin/me'));
    expect([status, retryAfterSecs, requestId]).toEqual([429, 3_600, 'r']);
  });

  it('more often than it may', async () => {
    server.will(AWAY, AWAY, AWAY, AWAY, AWAY);
    expect((await failure(greenroom.get('/admin/me'))).status).toBe(503);
    expect(server.requests).toHaveLength(4);
  });
});

it('a server that is not there is `unreachable`, with its address and the cause', async () => {
  const away = new Greenroom({ url: 'http://127.0.0.1:9', credential: 'grm_secret', retries: 0 });
  const error = await failure(away.get('/admin/me'));
  expect([error.status, error.code, error.cause]).toEqual([0, 'unreachable', expect.any(Error)]);
  expect(error.message).toMatch(/^Greenroom cannot be reached at http:\/\/127\.0\.0\.1:9: /);
  expect(JSON.stringify(error) + error.stack).not.toContain('grm_secret');
});

it('an attempt ends when its headers do not come in time', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const impatient = new Greenroom({ url, credential: 'grm_test', retries: 0, timeoutMs: 50 });
  expect((await failure(impatient.get('/admin/me'))).message).toContain('no response within 50 ms');
  silent.closeAllConnections();
  silent.close();
});

it('a change that waits for a second person is an error: nothing has been changed', async () => {
  server.will({ status: 202, body: { approval: { id: 'approval-1' } } });
  const error = await failure(greenroom.post('/admin/accounts/{account_id}/credits', GRANT));
  expect([error.status, error.code, error.approval]).toEqual([202, 'change_waits', { id: 'approval-1' }]);
});

it('a list is read page after page, with its query', async () => {
  server.will(
    { status: 200, body: { items: [{ id: '1' }, { id: '2' }], next_cursor: 'second' } },
    { status: 200, body: { items: [{ id: '3' }], next_cursor: null } },
  );
  const ids: string[] = [];
  for await (const { id } of greenroom.list('/admin/accounts', { params: { query: { tag: 'x' } } }))
    ids.push(id);
  expect(ids).toEqual(['1', '2', '3']);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/admin/accounts?tag=x',
    '/admin/accounts?tag=x&cursor=second',
  ]);
});

it('a batch has an outcome for each item: what passes, what is refused, and what failed', async () => {
  const refused = {
    active: false,
    gate: 'credits',
    code: 'insufficient_credits',
    status: 402,
    message: 'No credits',
  };
  server.will({
    status: 200,
    body: [
      { status: 200, body: { active: true, key_id: 'k' } },
      { status: 200, body: refused },
      {
        status: 503,
        retry_after_secs: 2,
        body: { detail: { code: 'service_unavailable', message: 'Busy' } },
      },
      {
        status: 422,
        body: { detail: [{ loc: ['body', 'cost'], msg: 'Input should be positive', input: -1 }] },
      },
    ],
  });
  const outcomes = await greenroom.introspectAll([{ key: 'a' }, { key: 'b' }, { key: 'c' }, { key: 'd' }]);
  expect(outcomes).toMatchObject([
    { pass: true, key: { key_id: 'k' } },
    {
      pass: false,
      reason: refused,
      refusal: {
        status: 402,
        headers: {},
        body: { detail: { code: 'insufficient_credits', message: 'No credits' } },
      },
    },
    { status: 503, code: 'service_unavailable', retryAfterSecs: 2 },
    { status: 422, code: 'invalid_parameters', parts: [{ pointer: '#/cost', given: -1 }] },
  ]);
});
