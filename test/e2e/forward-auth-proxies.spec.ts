import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import { CreditLedgerRepository } from '../../libs/database/credits/credit-ledger.repository';
import { eventually } from '../support/eventually';
import { FORWARDING_PROXIES, ForwardingProxy } from '../support/forwarding-proxies';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { TcpProxy } from '../support/tcp-proxy';
import { createTestDatabase } from '../support/test-database';

const RULES = [
  { match: '/free/*', scope: null, cost: null },
  { match: '/speech/*', scope: 'text_to_speech', cost: 5 },
];

/** The service behind the proxy: it says what has reached it, and takes WebSockets. */
class Service {
  readonly received: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
  private readonly webSockets = new WebSocketServer({ noServer: true });
  private readonly server: Server;

  constructor() {
    this.server = createServer((call, response) => {
      const { method = '', url = '', headers } = call;
      void text(call).then((body) => {
        this.received.push({ method, url, headers, body });
        response.end('served');
      });
    });
    this.server.on('upgrade', (call, socket, head) => {
      this.received.push({ method: 'upgrade', url: call.url ?? '', headers: call.headers, body: '' });
      this.webSockets.handleUpgrade(call, socket, head, (webSocket) =>
        webSocket.on('message', (data) => webSocket.send(`heard ${String(data as Buffer)}`)),
      );
    });
  }

  async start(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    for (const webSocket of this.webSockets.clients) webSocket.terminate();
    this.server.close();
    this.server.closeAllConnections();
  }
}

let stack: Stack;
let network: TcpProxy;
let service: Service;
let addresses: Parameters<typeof ForwardingProxy.start>[1];

beforeAll(async () => {
  const database = await createTestDatabase();
  network = await TcpProxy.to(database.url);
  const env = { TRUSTED_PROXIES: '127.0.0.1', DATABASE_URL: network.url };
  stack = await Stack.start({ worker: false, database, env });
  const admin = await StaffClient.signedIn(stack, 'admin');
  const { body } = await admin.post('/admin/service-credentials', { name: 'proxy', reason: 'A test' });
  const { id, secret } = body as { id: string; secret: string };
  const path = `/admin/service-credentials/${id}/forward-rules`;
  const rules = { forward_rules: RULES, reason: 'A test' };
  expect(await admin.send('PUT', path, rules, { 'if-match': '*' })).toMatchObject({ status: 200 });
  service = new Service();
  const greenroom = new URL(stack.baseUrl).host;
  addresses = { greenroom, service: await service.start(), credential: secret };
});

afterAll(async () => {
  service.stop();
  await stack.stop();
  await network.stop();
});

describe.each(FORWARDING_PROXIES)('%s', (name) => {
  let proxy: ForwardingProxy;

  beforeAll(async () => {
    proxy = await ForwardingProxy.start(name, addresses);
  });

  afterAll(async () => {
    await proxy.stop();
  });

  beforeEach(() => void service.received.splice(0));

  /** A request of a customer, and what has reached the service of it. */
  async function call(path: string, key: IssuedKey | null, headers: Record<string, string> = {}) {
    const response = await fetch(`${proxy.url}${path}`, {
      headers: { ...(key && { 'xi-api-key': key.secret }), ...headers },
    });
    const body = await response.text();
    return { status: response.status, headers: response.headers, body, received: service.received.splice(0) };
  }

  it('200: the service learns whose request it is, and not the key', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const { status, body, received } = await call('/speech/long?a=1', key);
    expect([status, body]).toEqual([200, 'served']);
    expect(received).toMatchObject([
      {
        url: '/speech/long?a=1',
        headers: {
          'x-greenroom-account': key.accountId,
          'x-greenroom-key': key.keyId,
          'x-greenroom-credits-left': '95',
        },
      },
    ]);
    const names = Object.keys(received[0]!.headers);
    expect(names.filter((header) => /xi-api-key|authorization|greenroom-service/.test(header))).toEqual([]);
    const bearer = await call('/free/a', null, { authorization: `Bearer ${key.secret}` });
    expect(bearer).toMatchObject({ status: 200, received: [{ url: '/free/a' }] });
  });

  it('401, 402, 403 and 429, with what the caller needs to know, and nothing of it reaches the service', async () => {
    const missing = await call('/speech/a', null);
    expect(missing).toMatchObject({ status: 401, received: [] });
    expect(missing.headers.get('www-authenticate')).toContain('greenroom');
    const poor = await stack.issueKey({ creditLimit: 4 });
    expect(await call('/speech/a', poor)).toMatchObject({ status: 402, received: [] });
    const elsewhere = await stack.issueKey({ allowedIps: ['203.0.113.10/32'] });
    expect(await call('/free/a', elsewhere)).toMatchObject({ status: 403, received: [] });
    expect(await call('/other', poor)).toMatchObject({ status: 403, received: [] });
    const limited = await stack.issueKey({ requestsPerMinute: 1 });
    expect(await call('/free/a', limited)).toMatchObject({ status: 200 });
    const late = await call('/free/a', limited);
    expect(late).toMatchObject({ status: 429, received: [] });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('headers that a client invents change nothing, and do not reach the service', async () => {
    const inside = await stack.issueKey({ allowedIps: ['203.0.113.10/32'] });
    const spoofed = {
      'x-forwarded-for': '203.0.113.10',
      'x-greenroom-account': 'another',
      'x-greenroom-key': 'another',
      'x-greenroom-credits-left': '1000',
      'x-greenroom-service': 'grs_another',
    };
    expect(await call('/free/a', inside, spoofed)).toMatchObject({ status: 403, received: [] });
    const key = await stack.issueKey({ creditLimit: 100 });
    const passed = await call('/free/a', key, spoofed);
    expect(passed).toMatchObject({ status: 200, received: [{ headers: { 'x-greenroom-key': key.keyId } }] });
    expect(JSON.stringify(passed.received)).not.toContain('another');
    const cheaper = {
      'x-original-uri': '/free/a',
      'x-original-method': 'GET',
      'x-forwarded-uri': '/free/a',
      'x-forwarded-method': 'GET',
      'x-forwarded-host': 'free.example.com',
    };
    const { status, received } = await call('/speech/a', key, cheaper);
    expect(status).toBe(200);
    expect(received).toMatchObject([{ headers: { 'x-greenroom-credits-left': '95' } }]);
    for (const path of ['/free/%2e%2e/speech/a', '/free/..%2fspeech/a']) {
      const found = await raw(path, key);
      expect([found.status >= 400, service.received]).toEqual([true, []]);
    }
  });

  /** As it stands: `fetch` would resolve the dots. */
  async function raw(path: string, key: IssuedKey): Promise<{ status: number }> {
    const { hostname, port } = new URL(proxy.url);
    const outgoing = request({ hostname, port, path, headers: { 'xi-api-key': key.secret } }).end();
    const [response] = (await once(outgoing, 'response')) as [{ statusCode: number; resume: () => void }];
    response.resume();
    return { status: response.statusCode };
  }

  it('a chunked body reaches the service whole, and is charged once', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const { hostname, port } = new URL(proxy.url);
    const headers = { 'xi-api-key': key.secret, 'content-type': 'text/plain' };
    const outgoing = request({ hostname, port, method: 'POST', path: '/speech/a', headers });
    const part = 'x'.repeat(50_000);
    for (let sent = 0; sent < 10; sent += 1) outgoing.write(part);
    outgoing.end('end');
    const [response] = (await once(outgoing, 'response')) as [{ statusCode: number; resume: () => void }];
    response.resume();
    expect(response.statusCode).toBe(200);
    await eventually(() => expect(service.received).toHaveLength(1));
    expect(service.received[0]).toMatchObject({ method: 'POST', body: `${part.repeat(10)}end` });
    expect((await stack.api.get(CreditLedgerRepository).findCurrent(key.keyId))?.used).toBe(5);
  });

  it('a WebSocket is admitted once, and refused without a key', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const url = `${proxy.url.replace('http', 'ws')}/speech/socket`;
    const webSocket = new WebSocket(url, { headers: { 'xi-api-key': key.secret } });
    await once(webSocket, 'open');
    webSocket.send('hello');
    const [data] = (await once(webSocket, 'message')) as [Buffer];
    webSocket.close();
    await once(webSocket, 'close');
    expect(String(data)).toBe('heard hello');
    expect(service.received).toMatchObject([{ headers: { 'x-greenroom-key': key.keyId } }]);
    service.received.splice(0);
    const refused = new WebSocket(url);
    const [error] = (await once(refused, 'error')) as [Error];
    expect(error.message).toContain('401');
    expect(service.received).toEqual([]);
  });

  it('503 with Retry-After while the store is away, and nothing passes', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    expect(await call('/speech/a', key)).toMatchObject({ status: 200 });
    network.refuse(true);
    try {
      const away = await call('/speech/a', key);
      expect(away).toMatchObject({ status: 503, received: [] });
      expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      network.refuse(false);
    }
    await eventually(async () => expect(await call('/speech/a', key)).toMatchObject({ status: 200 }));
  });

  it('503 when Greenroom does not respond', async () => {
    const gone = await ForwardingProxy.start(name, { ...addresses, greenroom: '127.0.0.1:9' });
    try {
      const response = await fetch(`${gone.url}/free/a`);
      await response.text();
      expect([response.status, service.received]).toEqual([503, []]);
    } finally {
      await gone.stop();
    }
  });
});
