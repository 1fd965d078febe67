import { request } from 'node:http';
import { CreditLedgerRepository } from '../../libs/database/credits/credit-ledger.repository';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const CLIENT = '203.0.113.10';
const RULES = [
  { match: '/speech/*', scope: 'text_to_speech', cost: 5 },
  { match: 'GET /speech/models', scope: null, cost: null },
  { match: 'POST admin.example.com/*', scope: 'workspace_write', cost: null },
];

let stack: Stack;
let admin: StaffClient;
let service: { id: string; secret: string };

beforeAll(async () => {
  stack = await Stack.start({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  admin = await StaffClient.signedIn(stack, 'admin');
  service = await newService(RULES);
});

afterAll(async () => {
  await stack.stop();
});

async function newService(rules: object[]): Promise<typeof service> {
  const { body } = await admin.post('/admin/service-credentials', { name: 'proxy', reason: 'A test' });
  const created = body as typeof service;
  const set = await setRules(created.id, rules);
  expect([set.status, set.text]).toEqual([200, expect.anything()]);
  return created;
}

async function setRules(id: string, rules: unknown) {
  const path = `/admin/service-credentials/${id}/forward-rules`;
  return admin.send('PUT', path, { forward_rules: rules, reason: 'A test' }, { 'if-match': '*' });
}

const headersOf = (path: string, method = 'POST') => ({
  'x-greenroom-service': service.secret,
  'x-forwarded-for': CLIENT,
  'x-forwarded-method': method,
  'x-forwarded-uri': path,
});

/** What a proxy gets for a request of a customer. */
async function forwarded(
  key: IssuedKey | null,
  path: string,
  headers: Record<string, string | undefined> = {},
) {
  const sent: Record<string, string | undefined> = { ...headersOf(path), ...headers };
  const present = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return stack.request('GET', '/introspect/forward', {
    secret: key?.secret,
    headers: Object.fromEntries(present),
  });
}

const used = async ({ keyId }: IssuedKey) =>
  (await stack.api.get(CreditLedgerRepository).findCurrent(keyId))?.used;

describe('200', () => {
  it('says whose the key is and what is left, and charges what the rule says', async () => {
    const key = await stack.issueKey({ creditLimit: 100, permissions: ['text_to_speech'] });
    const { status, headers, body } = await forwarded(key, '/speech/long?a=1');
    const said = { account_id: key.accountId, key_id: key.keyId, credits_left: 95 };
    expect([status, body]).toEqual([200, said]);
    expect(headers.get('x-greenroom-account')).toBe(key.accountId);
    expect(headers.get('x-greenroom-key')).toBe(key.keyId);
    expect(headers.get('x-greenroom-credits-left')).toBe('95');
    expect(await used(key)).toBe(5);
  });

  it('takes the key from Authorization, and charges nothing where the rule has no cost', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const authorization = `Bearer ${key.secret}`;
    const models = { authorization, 'x-forwarded-method': 'GET' };
    expect(await forwarded(null, '/speech/models', models)).toMatchObject({ status: 200 });
    expect(await used(key)).toBe(0);
  });

  it('reads the request where nginx and Envoy have it, with any method', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const nginx = { 'x-forwarded-uri': undefined, 'x-forwarded-method': undefined };
    const original = { 'x-original-uri': '/speech/a', 'x-original-method': 'PATCH' };
    expect(await forwarded(key, '', { ...nginx, ...original })).toMatchObject({ status: 200 });
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])
      expect(await asEnvoy(method, '/speech/b?c=d', key)).toBe(200);
    expect(await used(key)).toBe(40);
  });

  /** The method of a request is the customer's then, which the description of the API does not have. */
  async function asEnvoy(method: string, path: string, key: IssuedKey): Promise<number | undefined> {
    const { host, port } = { host: '127.0.0.1', port: new URL(stack.baseUrl).port };
    const headers = {
      'x-greenroom-service': service.secret,
      'x-forwarded-for': CLIENT,
      'xi-api-key': key.secret,
      'content-type': 'application/json',
      'content-length': '0',
    };
    return new Promise((resolve, reject) => {
      const call = request({ host, port, method, path: `/introspect/forward${path}`, headers }, (response) =>
        resolve(response.resume().statusCode),
      );
      call.once('error', reject).end();
    });
  }
});

describe('400', () => {
  it.each([
    ['no path', { 'x-forwarded-uri': undefined }],
    ['two paths', { 'x-original-uri': '/speech/models', 'x-original-method': 'GET' }],
    ['no method', { 'x-forwarded-method': undefined }],
    ['a path that servers read differently', { 'x-forwarded-uri': '/speech/models/..%2f..%2fadmin' }],
  ])('%s passes nobody', async (_, headers) => {
    const key = await stack.issueKey({ creditLimit: 100 });
    expect(await forwarded(key, '/speech/a', headers)).toMatchObject({
      status: 400,
      body: { detail: { code: 'bad_request' } },
    });
    expect(await used(key)).toBe(0);
  });
});

describe('401', () => {
  it('a customer without a key, with a malformed or an unknown one', async () => {
    const refused = await forwarded(null, '/speech/a');
    expect(refused).toMatchObject({ status: 401, body: { detail: { code: 'missing_api_key' } } });
    expect(refused.headers.get('www-authenticate')).toBe('ApiKey realm="greenroom"');
    for (const headers of [{ authorization: 'Basic eDp5' }, { 'xi-api-key': 'grk_x' }])
      expect(await forwarded(null, '/speech/a', headers)).toMatchObject({
        status: 401,
        body: { detail: { code: 'invalid_api_key' } },
      });
  });

  it("a proxy without its own credential, whatever the customer's key opens", async () => {
    const key = await stack.issueKey();
    const refused = await forwarded(key, '/speech/a', { 'x-greenroom-service': undefined });
    expect(refused).toMatchObject({ status: 401, body: { detail: { code: 'missing_service_credential' } } });
    const bearer = { 'x-greenroom-service': undefined, authorization: `Bearer ${service.secret}` };
    expect(await forwarded(key, '/speech/a', bearer)).toMatchObject({ status: 401 });
    expect(await forwarded(key, '/speech/a', { 'x-greenroom-service': key.secret })).toMatchObject({
      status: 401,
      body: { detail: { code: 'invalid_service_credential' } },
    });
  });
});

it('402 when the credits do not suffice', async () => {
  const key = await stack.issueKey({ creditLimit: 4 });
  const refused = await forwarded(key, '/speech/a');
  expect(refused).toMatchObject({ status: 402, body: { detail: { code: 'insufficient_credits' } } });
  expect(await used(key)).toBe(0);
});

describe('403', () => {
  it('an address outside the allow-list, also when the proxy does not say which it is', async () => {
    const key = await stack.issueKey({ allowedIps: [`${CLIENT}/32`] });
    expect(await forwarded(key, '/speech/a')).toMatchObject({ status: 200 });
    for (const address of ['198.51.100.7', undefined, '127.0.0.1'])
      expect(await forwarded(key, '/speech/a', { 'x-forwarded-for': address })).toMatchObject({
        status: 403,
        body: { detail: { code: 'ip_not_allowed' } },
      });
  });

  it('a key without the permission of the rule, of the host as well', async () => {
    const key = await stack.issueKey({ permissions: ['models_read'] });
    const code = 'insufficient_permissions';
    expect(await forwarded(key, '/speech/a')).toMatchObject({ status: 403, body: { detail: { code } } });
    const writer = await stack.issueKey({ permissions: ['workspace_write'] });
    const host = { 'x-forwarded-host': 'Admin.example.com:443' };
    expect(await forwarded(writer, '/speech/a', host)).toMatchObject({ status: 200 });
  });

  it('a request that no rule covers', async () => {
    const key = await stack.issueKey();
    expect(await forwarded(key, '/other')).toMatchObject({
      status: 403,
      body: {
        detail: {
          code: 'forwarded_request_not_listed',
          message: expect.stringContaining('POST /other'),
        },
      },
    });
  });

  it('a proxy that is not one of TRUSTED_PROXIES', async () => {
    const other = await Stack.start({ worker: false });
    try {
      const headers = { ...headersOf('/speech/a'), 'x-greenroom-service': await secretOn(other) };
      const key = await other.issueKey();
      expect(
        await other.request('GET', '/introspect/forward', { secret: key.secret, headers }),
      ).toMatchObject({
        status: 403,
        body: { detail: { code: 'proxy_not_trusted', message: expect.stringContaining('127.0.0.1') } },
      });
    } finally {
      await other.stop();
    }
  });

  async function secretOn(other: Stack): Promise<string> {
    const staff = await StaffClient.signedIn(other, 'admin');
    const { body } = await staff.post('/admin/service-credentials', { name: 'proxy', reason: 'A test' });
    return (body as typeof service).secret;
  }
});

it('429 with Retry-After when the requests of the minute are used up', async () => {
  const key = await stack.issueKey({ requestsPerMinute: 1 });
  expect(await forwarded(key, '/speech/models', { 'x-forwarded-method': 'GET' })).toMatchObject({
    status: 200,
  });
  const refused = await forwarded(key, '/speech/models', { 'x-forwarded-method': 'GET' });
  expect(refused).toMatchObject({ status: 429, body: { detail: { code: 'rate_limit_exceeded' } } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('the rules of a service', () => {
  it('are refused by name, change at once, and stand in the audit log', async () => {
    const proxy = await newService([]);
    const refused = await setRules(proxy.id, [{ match: 'speech', scope: null, cost: null }]);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('POST api.example.com/v1')]);
    const key = await stack.issueKey();
    const headers = { 'x-greenroom-service': proxy.secret };
    expect(await forwarded(key, '/speech/a', headers)).toMatchObject({ status: 403 });
    expect(await setRules(proxy.id, RULES)).toMatchObject({
      status: 200,
      body: { forward_rules: RULES, receipt: expect.anything() },
    });
    expect(await forwarded(key, '/speech/a', headers)).toMatchObject({ status: 200 });
    const events = await stack.dataSource.query<object[]>(
      `SELECT before, after FROM audit_event WHERE action = 'service_credential.forwarding_changed'
       AND target_id = $1 ORDER BY id`,
      [proxy.id],
    );
    expect(events.at(-1)).toEqual({ before: { forward_rules: [] }, after: { forward_rules: RULES } });
  });
});
