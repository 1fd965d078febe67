import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { CreditLedgerRepository } from '../../libs/database/credits/credit-ledger.repository';
import { generateSecret } from '../../libs/domain/keys/api-key-secret';
import { eventually } from '../support/eventually';
import { Stack, type IssuedKey, type JsonBody } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const INSIDE = '203.0.113.10';
const OUTSIDE = '198.51.100.7';

let stack: Stack;
let admin: StaffClient;
let service: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  admin = await StaffClient.signedIn(stack, 'admin');
  service = (await newCredential()).secret;
});

afterAll(async () => {
  await stack.stop();
});

async function newCredential(): Promise<{ id: string; secret: string }> {
  const response = await admin.post('/admin/service-credentials', { name: 'speech', reason: 'A test' });
  expect([response.status, response.text]).toEqual([201, expect.anything()]);
  return response.body as { id: string; secret: string };
}

const ask = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  stack.request('POST', path, { body, headers: { authorization: `Bearer ${service}`, ...headers } });

async function introspect(key: IssuedKey, query: object = {}): Promise<JsonBody> {
  const { status, body } = await ask('/introspect', { token: key.secret, address: INSIDE, ...query });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

async function used(subjectId: string): Promise<number | undefined> {
  return (await stack.api.get(CreditLedgerRepository).findCurrent(subjectId))?.used;
}

const linesOf = ({ keyId }: IssuedKey) =>
  stack.dataSource.query<{ kind: string; amount: string; actor: string | null }[]>(
    'SELECT kind, amount, actor FROM credit_ledger WHERE key_id = $1 ORDER BY id',
    [keyId],
  );

describe('200 active', () => {
  it('says whose the key is, what it may do and what is left after the charge', async () => {
    const key = await stack.issueKey({
      creditLimit: 100,
      permissions: ['text_to_speech', 'models_read'],
      expiresAt: new Date('2099-01-01'),
    });
    const query = { scope: 'text_to_speech', cost: 18, operation: 'speech', request_id: 'r-1' };
    expect(await introspect(key, query)).toEqual({
      active: true,
      scope: 'text_to_speech models_read',
      client_id: key.keyId,
      sub: key.accountId,
      token_type: 'api_key',
      iat: expect.closeTo(Date.now() / 1000, -2),
      exp: 4_070_908_800,
      key_id: key.keyId,
      account_id: key.accountId,
      tier: 'creator',
      request_id: 'r-1',
      credits_remaining: 82,
      cost: 18,
      repeated: false,
    });
    expect(await used(key.keyId)).toBe(18);
  });

  it('a form is treated like JSON', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const form = new URLSearchParams({ token: key.secret, cost: '30', scope: 'text_to_speech' });
    const { status, body } = await ask('/introspect', form.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([status, body]).toEqual([200, expect.objectContaining({ active: true, credits_remaining: 70 })]);
  });

  it('without a cost nothing is charged, and the remaining credits are still reported', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    expect(await introspect(key)).toMatchObject({ active: true, credits_remaining: 100 });
    const unlimited = await stack.issueKey();
    const charged = await introspect(unlimited, { cost: 1 });
    expect(await introspect(unlimited)).toMatchObject({ credits_remaining: charged.credits_remaining });
    expect(charged.credits_remaining).toBeGreaterThan(0);
    expect(await linesOf(key)).toEqual([]);
  });

  it('a cost of 0 is a charge of nothing, and its request id is taken', async () => {
    const key = await stack.issueKey({ creditLimit: 0 });
    const query = { cost: 0, request_id: 'zero' };
    expect(await introspect(key, query)).toMatchObject({ active: true, credits_remaining: 0 });
    expect((await ask('/introspect', { token: key.secret, cost: 1, request_id: 'zero' })).status).toBe(409);
  });

  it('the same request id is charged once, even by fifty requests at the same time', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const query = { cost: 7, request_id: 'once' };
    const responses = await Promise.all(Array.from({ length: 50 }, () => introspect(key, query)));
    expect(responses.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(await used(key.keyId)).toBe(7);
  });

  it('two hundred charges at the same time get exactly the credits there are', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const responses = await Promise.all(Array.from({ length: 200 }, () => introspect(key, { cost: 1 })));
    expect(responses.filter(({ active }) => active)).toHaveLength(100);
    expect(await used(key.keyId)).toBe(100);
  });

  it('a route of ours is judged by its permission, a public one by none', async () => {
    const key = await stack.issueKey({ permissions: ['models_read'] });
    const request = (method: string, path: string) => introspect(key, { method, path });
    expect(await request('GET', '/v1/models?x=1')).toMatchObject({ active: true });
    expect(await request('GET', '/healthz')).toMatchObject({ active: true });
    expect(await request('GET', '/v1/voices/abc')).toMatchObject({ active: false, gate: 'scope' });
  });
});

describe('200 inactive', () => {
  it('the first gate that refuses is named, in the order of a real request', async () => {
    const key = await stack.issueKey({ permissions: ['models_read'], allowedIps: [INSIDE], creditLimit: 5 });
    const refused = { scope: 'text_to_speech', address: OUTSIDE, cost: 9 };
    expect(await introspect(key, refused)).toEqual({
      active: false,
      gate: 'ip',
      code: 'ip_not_allowed',
      status: 403,
      message: `The address ${OUTSIDE} is not on the IP allow-list of this API key.`,
    });
    expect(await introspect(key, { ...refused, address: undefined })).toMatchObject({ gate: 'ip' });
    expect(await introspect(key, { ...refused, address: 'garbage' })).toMatchObject({ gate: 'ip' });
    expect(await introspect(key, { ...refused, address: INSIDE })).toMatchObject({
      gate: 'scope',
      code: 'insufficient_permissions',
      status: 403,
    });
    expect(await introspect(key, { scope: 'models_read', cost: 9 })).toEqual({
      active: false,
      gate: 'credits',
      code: 'insufficient_credits',
      status: 402,
      message: expect.stringContaining('exceeds your API key quota of 5'),
      credits_remaining: 5,
      credit_limit: 5,
      cost: 9,
    });
    expect(await linesOf(key)).toEqual([]);
  });

  it('a secret that is none, is unknown, or belongs to something else', async () => {
    const { secret } = await stack.issueKey();
    const tokens = ['', 'nonsense', `${secret}x`, generateSecret('api_key', randomBytes), service];
    for (const token of tokens) {
      const { status, body } = await ask('/introspect', { token, cost: 1 });
      expect([token, status, body]).toEqual([
        token,
        200,
        expect.objectContaining({ active: false, gate: 'credential', status: 401 }),
      ]);
    }
  });

  it.each([
    ['GET', '/v1/nothing', 'not_found', 404],
    ['DELETE', '/v1/models', 'method_not_allowed', 405],
    ['GET', '/admin/staff', 'staff_sign_in_required', 401],
    ['POST', '/introspect', 'missing_service_credential', 401],
  ])('%s %s is not a request that a key can send', async (method, path, code, status) => {
    const key = await stack.issueKey();
    const response = await introspect(key, { method, path, cost: 3 });
    expect(response).toMatchObject({ active: false, gate: 'route', code, status });
    expect(await linesOf(key)).toEqual([]);
  });

  it('a key that is disabled is inactive from the receipt on', async () => {
    const key = await stack.issueKey();
    expect(await introspect(key)).toMatchObject({ active: true });
    const disable = { disable_reason: 'security_incident', reason: 'A test' };
    await admin.post(`/admin/api-keys/${key.keyId}/disable`, disable, { 'if-match': '*' });
    expect(await introspect(key)).toMatchObject({ active: false, gate: 'state', code: 'invalid_api_key' });
  });
});

describe('requests per minute', () => {
  const models = ({ secret }: IssuedKey) => stack.request('GET', '/v1/models', { secret });

  it('are those of real requests too; one too many is charged nothing and gets a Retry-After', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 3, permissions: ['models_read'] });
    for (let i = 0; i < 5; i += 1)
      expect(await introspect(key, { scope: 'text_to_speech' })).toMatchObject({ gate: 'scope' });
    expect((await models(key)).status).toBe(200);
    for (const cost of [1, undefined])
      expect(await introspect(key, { cost })).toMatchObject({ active: true });
    const refused = await introspect(key, { cost: 1 });
    expect(refused).toEqual({
      active: false,
      gate: 'limit',
      code: 'rate_limit_exceeded',
      status: 429,
      message: 'Too many requests: this key may make 3 per minute. Try again later.',
      retry_after_secs: expect.any(Number),
    });
    expect(refused.retry_after_secs).toBeGreaterThan(50);
    expect((await models(key)).status).toBe(429);
    expect(await used(key.keyId)).toBe(1);
  });

  it('are not counted for operations that need no key', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 1 });
    for (let i = 0; i < 3; i += 1)
      expect(await introspect(key, { method: 'GET', path: '/healthz' })).toMatchObject({ active: true });
    expect((await models(key)).status).toBe(200);
  });
});

it.each([
  '/v1/text-to-voice/design',
  `/v1/text-to-speech/${'x'.repeat(20)}`,
  `/v1/text-to-speech/${'x'.repeat(20)}/stream`,
])('a format that the tier does not have is refused as %s refuses it', async (path) => {
  const key = await stack.issueKey({ tier: 'free' });
  const ask = (format: string) =>
    introspect(key, { method: 'POST', path: `${path}?output_format=${format}`, cost: 1 });
  expect(await ask('pcm_44100')).toMatchObject({ gate: 'tier', code: 'feature_not_available', status: 403 });
  expect(await ask('mp3_44100_128')).toMatchObject({ active: true, credits_remaining: 9_999 });
});

describe('single-use tokens', () => {
  const DESIGN = { method: 'POST', path: '/v1/text-to-voice/design' };
  const NOT_VALID = { active: false, code: 'invalid_single_use_token', status: 401 };

  async function tokenOf({ secret }: IssuedKey, type: string, body: object = {}): Promise<string> {
    const response = await stack.request('POST', `/v1/single-use-token/${type}`, { secret, body });
    expect(response.status).toBe(200);
    return response.body.token as string;
  }
  /** As `introspect`, with a token in place of the key's secret. */
  const present = (key: IssuedKey, token: string, query: object) =>
    introspect({ ...key, secret: token }, query);

  it('one opens its operation once, as its key and with nothing but the permission of the operation', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const token = await tokenOf(key, 'text_to_voice_design');
    const nowSecs = Math.floor(Date.now() / 1_000);
    const opened = await present(key, token, { ...DESIGN, cost: 30, request_id: 't-1' });
    expect(opened).toMatchObject({
      active: true,
      scope: 'voice_generation',
      key_id: key.keyId,
      account_id: key.accountId,
      token_type: 'single_use_token',
      credits_remaining: 70,
      cost: 30,
    });
    expect([opened.iat, opened.exp]).toEqual([expect.closeTo(nowSecs, -1), (opened.iat as number) + 15 * 60]);
    expect(await present(key, token, { ...DESIGN, cost: 30 })).toMatchObject({
      ...NOT_VALID,
      gate: 'credential',
    });
    const real = await stack.request('POST', `${DESIGN.path}?token=${token}`, { body: {} });
    expect(real.status).toBe(401);
    expect(await used(key.keyId)).toBe(30);
  });

  it('of fifty requests at the same time, one is allowed', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const token = await tokenOf(key, 'text_to_voice_design');
    const asking = Array.from({ length: 50 }, () => present(key, token, { ...DESIGN, cost: 2 }));
    expect((await Promise.all(asking)).filter(({ active }) => active)).toHaveLength(1);
    expect(await used(key.keyId)).toBe(2);
  });

  it.each<[string, object]>([
    ['another operation', { method: 'GET', path: '/v1/models' }],
    ['another method', { method: 'GET', path: '/v1/text-to-voice/design' }],
    ['a permission', { scope: 'voice_generation' }],
    ['nothing', {}],
    ['an operation that needs no key', { method: 'GET', path: '/healthz' }],
  ])('introspected for %s it opens nothing and stays unused', async (_, query) => {
    const key = await stack.issueKey();
    const token = await tokenOf(key, 'text_to_voice_design');
    expect(await present(key, token, { ...query, cost: 1 })).toMatchObject({ active: false });
    expect(await present(key, token, DESIGN)).toMatchObject({ active: true });
  });

  it('one that is bound to an object opens it only where the path names it', async () => {
    const key = await stack.issueKey();
    const pin = { generated_voice_id: 'a'.repeat(20) };
    const stream = await tokenOf(key, 'preview_stream', pin);
    const streamOf = (id: string) => ({ method: 'GET', path: `/v1/text-to-voice/${id}/stream?x=1` });
    expect(await present(key, stream, streamOf('b'.repeat(20)))).toMatchObject(NOT_VALID);
    expect(await present(key, stream, streamOf(pin.generated_voice_id))).toMatchObject({ active: true });
    const create = await tokenOf(key, 'text_to_voice_create', pin);
    const CREATE = { method: 'POST', path: '/v1/text-to-voice' };
    expect(await present(key, create, CREATE)).toMatchObject(NOT_VALID);
    expect(await present(key, await tokenOf(key, 'text_to_voice_create'), CREATE)).toMatchObject({
      active: true,
    });
  });

  it('a refusal behind the gates leaves it usable: its own bound, the credits, a request id that is taken', async () => {
    const key = await stack.issueKey({ creditLimit: 20 });
    await introspect(key, { cost: 1, request_id: 'spoken for' });
    const token = await tokenOf(key, 'text_to_voice_design', { max_credits: 50 });
    expect(await present(key, token, { ...DESIGN, cost: 51 })).toMatchObject({
      gate: 'credits',
      message: expect.stringContaining('single-use token quota of 50'),
    });
    expect(await present(key, token, { ...DESIGN, cost: 50 })).toMatchObject({
      gate: 'credits',
      credits_remaining: 19,
    });
    const taken = { ...DESIGN, token, cost: 2, request_id: 'spoken for' };
    expect((await ask('/introspect', taken)).status).toBe(409);
    expect(await present(key, token, { ...DESIGN, cost: 19 })).toMatchObject({ active: true });
  });

  it('the gates of its key decide, and the response for the customer does not say which one refused', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 4 });
    const bound = await tokenOf(key, 'text_to_voice_design', { address: OUTSIDE });
    expect(await present(key, bound, DESIGN)).toMatchObject({ ...NOT_VALID, gate: 'ip' });
    const [first, second, third] = [
      await tokenOf(key, 'text_to_voice_design'),
      await tokenOf(key, 'text_to_voice_design'),
      bound,
    ];
    const set = (what: string) =>
      stack.dataSource.query(`UPDATE api_key SET ${what} WHERE id = $1`, [key.keyId]);
    await set(`disable_reason = 'unused'`);
    expect(await present(key, first, DESIGN)).toMatchObject({ ...NOT_VALID, gate: 'state' });
    await set(`disable_reason = NULL, permissions = '{models_read}'`);
    expect(await present(key, first, DESIGN)).toMatchObject({
      gate: 'scope',
      code: 'insufficient_permissions',
    });
    await set(`permissions = '{voice_generation}'`);
    expect(await present(key, first, DESIGN)).toMatchObject({ active: true });
    expect(await present(key, second, DESIGN)).toMatchObject({ gate: 'limit', status: 429 });
    expect(await present(key, third, { ...DESIGN, address: OUTSIDE })).toMatchObject({ gate: 'limit' });
  });

  it('something other than a token, or an unknown one', async () => {
    const key = await stack.issueKey();
    for (const token of ['grt_', 'grt_nonsense', generateSecret('single_use_token', randomBytes)])
      expect(await present(key, token, DESIGN)).toMatchObject({ ...NOT_VALID, gate: 'credential' });
  });
});

describe('holds', () => {
  const hold = (key: IssuedKey, cost: number, requestId: string, seconds = 60) =>
    introspect(key, { cost, request_id: requestId, hold_seconds: seconds, operation: 'dubbing' });
  const end = (verb: 'capture' | 'release', key: IssuedKey, requestId: string, more: object = {}) =>
    ask(`/introspect/${verb}`, { account_id: key.accountId, request_id: requestId, ...more });
  /** The deadline of every hold of the account passes. */
  const passDeadline = ({ accountId }: IssuedKey) =>
    stack.dataSource.query(
      `UPDATE credit_hold SET deadline = now() - interval '1 second' WHERE account_id = $1`,
      [accountId],
    );

  it('what is held cannot be spent; what was not needed comes back when the rest is captured', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const held = await hold(key, 80, 'h1');
    expect(held).toMatchObject({ active: true, credits_remaining: 20 });
    expect(Date.parse(held.held_until as string)).toBeGreaterThan(Date.now() + 50_000);
    expect(await introspect(key, { cost: 21 })).toMatchObject({ active: false, gate: 'credits' });
    expect(await end('capture', key, 'h1', { cost: 30 })).toMatchObject({
      status: 200,
      body: { held: 80, charged: 30, repeated: false },
    });
    expect(await end('capture', key, 'h1', { cost: '30' })).toMatchObject({ body: { repeated: true } });
    expect(await used(key.keyId)).toBe(30);
    expect((await linesOf(key)).map(({ kind, amount }) => [kind, Number(amount)])).toEqual([
      ['hold', 80],
      ['release', -80],
      ['charge', 30],
    ]);
  });

  it('a hold is released once, and by its deadline whether a worker lives or not', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    await hold(key, 60, 'h2');
    expect((await end('release', key, 'h2')).body).toMatchObject({ held: 60, charged: 0, repeated: false });
    expect((await end('release', key, 'h2')).body).toMatchObject({ repeated: true });
    await hold(key, 100, 'h3');
    await passDeadline(key);
    expect(await introspect(key)).toMatchObject({ credits_remaining: 100 });
    expect(await introspect(key, { cost: 100 })).toMatchObject({ active: true, credits_remaining: 0 });
    expect((await linesOf(key)).filter(({ actor }) => actor === 'deadline')).toMatchObject([
      { amount: '-100' },
    ]);
    const late = await end('capture', key, 'h3', { cost: 1 });
    expect([late.status, late.body.detail]).toEqual([409, expect.objectContaining({ code: 'hold_ended' })]);
  });

  it('the same hold twice is one; with other figures, or when it has ended, a conflict', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    await hold(key, 10, 'h4');
    expect(await hold(key, 10, 'h4')).toMatchObject({ repeated: true, credits_remaining: 90 });
    const again = { token: key.secret, request_id: 'h4', operation: 'dubbing' };
    expect((await ask('/introspect', { ...again, cost: 11, hold_seconds: 60 })).status).toBe(409);
    expect((await ask('/introspect', { ...again, cost: 10 })).status).toBe(409);
    await end('release', key, 'h4');
    expect((await ask('/introspect', { ...again, cost: 10, hold_seconds: 60 })).status).toBe(409);
    expect(await used(key.keyId)).toBe(0);
    await hold(key, 10, 'h8');
    await end('capture', key, 'h8', { cost: 10 });
    expect((await ask('/introspect', { ...again, cost: 10, request_id: 'h8' })).status).toBe(409);
    expect(await used(key.keyId)).toBe(10);
  });

  it('work for a key that was disabled meanwhile is captured all the same', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    await hold(key, 10, 'h5');
    await stack.dataSource.query(`UPDATE api_key SET disable_reason = 'unused' WHERE id = $1`, [key.keyId]);
    expect((await end('capture', key, 'h5', { cost: 0 })).body).toMatchObject({ held: 10, charged: 0 });
  });

  it('more than was held, an unknown hold, another account', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    await hold(key, 10, 'h6');
    const more = await end('capture', key, 'h6', { cost: 11 });
    expect([more.status, more.body.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', 'cost'], input: 11, ctx: { le: 10 } })],
    ]);
    for (const accountId of [randomUUID(), 'nonsense', (await stack.issueKey()).accountId]) {
      expect((await end('capture', { ...key, accountId }, 'h6', { cost: 1 })).status).toBe(404);
    }
    expect((await end('release', key, 'h7')).status).toBe(404);
    expect(await used(key.keyId)).toBe(10);
  });
});

describe('401', () => {
  it('no credential, or a malformed one, gets a challenge for a bearer token', async () => {
    const { secret } = await stack.issueKey();
    const missing = await stack.request('POST', '/introspect', { body: { token: secret } });
    expect([missing.status, missing.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="greenroom"',
    ]);
    for (const authorization of [
      service,
      `Basic ${service}`,
      `Bearer ${secret}`,
      'Bearer',
      `Bearer ${service}x`,
    ]) {
      const { status, headers } = await ask('/introspect', { token: secret }, { authorization });
      expect([authorization, status, headers.get('www-authenticate')]).toEqual([
        authorization,
        401,
        'Bearer realm="greenroom", error="invalid_token"',
      ]);
    }
    expect((await ask('/introspect', {}, { authorization: '', 'xi-api-key': secret })).status).toBe(401);
    expect((await stack.request('GET', '/v1/models', { secret: service })).status).toBe(401);
  });
});

describe('409', () => {
  it('a request id that was charged with another cost, operation or key', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const sibling = await stack.issueKey({ accountId: key.accountId });
    const query = { token: key.secret, cost: 5, operation: 'a', request_id: 'taken' };
    expect((await ask('/introspect', query)).status).toBe(200);
    for (const change of [{ cost: 6 }, { operation: 'b' }, { token: sibling.secret }]) {
      const { status, body } = await ask('/introspect', { ...query, ...change });
      expect([status, body.detail]).toEqual([
        409,
        expect.objectContaining({ type: 'conflict', code: 'request_id_conflict', param: 'request_id' }),
      ]);
    }
    expect(await used(key.accountId)).toBe(5);
  });
});

describe('413, 415 and 422', () => {
  it.each([
    ['token', {}, 'missing'],
    ['token', { token: 'a\0b' }, 'string_unicode'],
    ['cost', { token: 't', cost: '1.5' }, 'int_from_float'],
    ['cost', { token: 't', cost: 9_007_199_254_740_992 }, 'less_than_equal'],
    ['cost', { token: 't', hold_seconds: 5 }, 'missing'],
    ['hold_seconds', { token: 't', cost: 1, hold_seconds: 0 }, 'greater_than_equal'],
    ['hold_seconds', { token: 't', cost: 1, hold_seconds: 86_401 }, 'less_than_equal'],
    ['scope', { token: 't', scope: 'fly' }, 'enum'],
    ['scope', { token: 't', scope: 'models_read', method: 'GET', path: '/v1/models' }, 'value_error'],
    ['method', { token: 't', path: '/v1/models' }, 'missing'],
    ['path', { token: 't', method: 'GET' }, 'missing'],
    ['method', { token: 't', method: 'BREW', path: '/' }, 'enum'],
    ['operation', { token: 't', operation: 'Größe 😀' }, 'string_pattern_mismatch'],
    ['request_id', { token: 't', request_id: 'x'.repeat(201) }, 'string_too_long'],
  ])('%s of %j: %s', async (field, body, type) => {
    const response = await ask('/introspect', body);
    expect([response.status, response.body.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', field], type })],
    ]);
  });

  it('a field that a form repeats', async () => {
    const { status, body } = await ask('/introspect', 'token=a&token=b&__proto__=x&__proto__=y', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', 'token'] })]]);
  });

  it('forms are for services only, and services take nothing else', async () => {
    const { secret } = await stack.issueKey();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const design = await stack.request('POST', '/v1/text-to-voice/design', {
      secret,
      body: 'a=b',
      headers: form,
    });
    expect(design.status).toBe(415);
    const xml = await ask('/introspect', '<a/>', { 'content-type': 'text/xml' });
    expect([xml.status, xml.body.detail]).toEqual([
      415,
      expect.objectContaining({ message: expect.stringContaining('application/x-www-form-urlencoded') }),
    ]);
    expect((await ask('/introspect', { token: 'x'.repeat(2_000_000) })).status).toBe(413);
  });
});

it('an introspected request is recorded as traffic of the key, with the gate that refused', async () => {
  const key = await stack.issueKey({ permissions: ['models_read'], creditLimit: 5 });
  await introspect(key, { method: 'GET', path: '/v1/models', cost: 5 });
  await introspect(key, { method: 'GET', path: '/v1/models', cost: 5 });
  await introspect(key, { scope: 'text_to_speech' });
  await eventually(async () => {
    const rows = await stack.dataSource.query<unknown[]>(
      'SELECT route, address, outcome FROM observed_traffic WHERE key_id = $1 ORDER BY route, outcome',
      [key.keyId],
    );
    expect(rows).toEqual([
      { route: 'GET /v1/models', address: INSIDE, outcome: 'credits' },
      { route: 'GET /v1/models', address: INSIDE, outcome: 'served' },
      { route: 'POST /introspect text_to_speech for speech', address: INSIDE, outcome: 'scope' },
    ]);
  });
});

describe('service credentials', () => {
  it('only the digest is kept, and the secret is shown once', async () => {
    const { id, secret } = await newCredential();
    expect(secret).toMatch(/^grs_[0-9A-Za-z]{38}$/);
    const { text, headers } = await admin.get(`/admin/service-credentials/${id}`);
    expect(text).not.toContain(secret);
    expect(headers.get('etag')).toBe('"v1"');
    const dump = JSON.stringify(
      await stack.dataSource.query('SELECT * FROM service_credential, audit_event'),
    );
    expect(dump).not.toContain(secret);
  });

  it('one that is disabled or deleted opens nothing from the receipt on; both are audited', async () => {
    const key = await stack.issueKey();
    for (const end of ['disable', 'delete']) {
      const { id, secret } = await newCredential();
      const knock = () => ask('/introspect', { token: key.secret }, { authorization: `Bearer ${secret}` });
      expect((await knock()).status).toBe(200);
      const path = `/admin/service-credentials/${id}`;
      const reason = { reason: 'It has leaked' };
      const match = { 'if-match': '"v1"' };
      const response =
        end === 'disable'
          ? await admin.post(`${path}/disable`, reason, match)
          : await admin.send('DELETE', path, reason, match);
      expect(response).toMatchObject({ status: 200, body: { receipt: { processes: 1, acknowledged: 1 } } });
      expect((await knock()).status).toBe(401);
      const again = await admin.post(`${path}/disable`, reason, match);
      expect(again.status).toBe(end === 'disable' ? 412 : 404);
      const [event] = await stack.dataSource.query<{ action: string; reason: string }[]>(
        'SELECT action, reason FROM audit_event WHERE target_id = $1 ORDER BY day DESC, seq DESC LIMIT 1',
        [id],
      );
      expect(event).toEqual({ action: `service_credential.${end}d`, reason: 'It has leaked' });
    }
  });

  it('one that was disabled is not enabled again, and the refusal says what to do', async () => {
    const { id, secret } = await newCredential();
    const path = `/admin/service-credentials/${id}`;
    const reason = { reason: 'A test' };
    const early = await admin.post(`${path}/enable`, reason, { 'if-match': '*' });
    expect(early).toMatchObject({ status: 409, body: { code: 'status_unchanged' } });
    await admin.post(`${path}/disable`, reason, { 'if-match': '*' });
    expect(await admin.post(`${path}/enable`, reason, { 'if-match': '*' })).toMatchObject({
      status: 409,
      body: {
        code: 'service_credential_stays_disabled',
        detail: expect.stringContaining('Issue a new one'),
      },
    });
    const knock = { authorization: `Bearer ${secret}` };
    expect((await ask('/introspect', { token: 'x' }, knock)).status).toBe(401);
    expect((await admin.post('/admin/service-credentials/nonsense/enable', reason)).status).toBe(404);
  });

  it('are listed page by page, with when and from where they were last used', async () => {
    await newCredential();
    await ask('/introspect', { token: 'x' });
    const first = await admin.get('/admin/service-credentials?limit=1');
    const second = await admin.get(
      `/admin/service-credentials?limit=200&cursor=${encodeURIComponent(String(first.body.next_cursor))}`,
    );
    const items = [...(first.body.items as object[]), ...(second.body.items as object[])];
    expect(items).toHaveLength(Number(first.body.total));
    await eventually(async () => {
      const { text } = await admin.get('/admin/service-credentials?limit=200');
      expect(text).toContain('"last_used_address":"127.0.0.1"');
    });
  });

  it('400, 404, 422 and 428', async () => {
    expect((await admin.get('/admin/service-credentials/nonsense')).status).toBe(404);
    expect((await admin.post('/admin/service-credentials', { name: '' })).status).toBe(422);
    const { id } = await newCredential();
    const path = `/admin/service-credentials/${id}/disable`;
    expect((await admin.post(path, { reason: 'A test' })).status).toBe(428);
    expect((await admin.get('/admin/service-credentials?cursor=x')).status).toBe(400);
  });
});

describe('batches', () => {
  const entries = async (items: unknown) => {
    const { status, body } = await ask('/introspect/batch', items);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body as unknown as { status: number; body: JsonBody }[];
  };

  it('each item gets what it would have got alone, in its place; one that is malformed refuses itself', async () => {
    const [key, poor] = [await stack.issueKey(), await stack.issueKey({ creditLimit: 1 })];
    const charge = { token: key.secret, address: INSIDE, cost: 2, operation: 'speech' };
    const alone = [
      { token: key.secret, address: INSIDE },
      { token: generateSecret('api_key', randomBytes), address: INSIDE },
      { token: poor.secret, address: INSIDE, cost: 5, request_id: 'poor' },
      { token: key.secret, path: '/v1/models' },
      { token: key.secret, cost: 0.5 },
      { token: 'a\u0000b' },
      {},
      7,
    ];
    const single = [];
    for (const item of alone) single.push(await ask('/introspect', item));
    const token_digest = createHash('sha256').update(key.secret).digest('hex');
    const all = await entries([
      ...alone,
      { ...charge, request_id: 'twice' },
      { ...charge, request_id: 'twice' },
      { ...charge, request_id: 'twice', cost: 3 },
      { ...charge, request_id: 'held', hold_seconds: 60, end_user: 'ann' },
      { token_digest, address: INSIDE },
      { token_digest: token_digest.toUpperCase() },
    ]);
    const plain = (body: JsonBody) =>
      JSON.stringify(body).replaceAll(
        /"request_id":"[0-9a-f]{32}"|"(creditsLeft|credits_remaining)":\d+/g,
        '',
      );
    expect(all.slice(0, alone.length).map(({ status, body }) => [status, plain(body)])).toEqual(
      single.map(({ status, body }) => [status, plain(body)]),
    );
    const [first, second, conflict, hold, digest, upper] = all.slice(alone.length);
    expect([first!.body.repeated, second!.body.repeated]).toEqual([false, true]);
    expect([conflict!.status, hold!.body.held_until, digest!.body.key_id, upper!.status]).toEqual([
      409,
      expect.any(String),
      key.keyId,
      422,
    ]);
    expect(await used(key.keyId)).toBe(4);
  });

  it.each([[[]], [{ items: [] }], [Array.from({ length: 501 }, () => ({ token: 't' }))]])(
    'of no item, of no list or of more than 500 items are refused: %#',
    async (items) => {
      expect((await ask('/introspect/batch', items)).status).toBe(422);
    },
  );

  it('5,000 charges by 32 callers, each sent twice, are each charged once and within the limit', async () => {
    const accountId = await stack.openAccount('creator');
    const keys = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        stack.issueKey({ accountId, creditLimit: n === 0 ? 300 : 10_000 }),
      ),
    );
    const batches = Array.from({ length: 50 }, (_, batch) =>
      Array.from({ length: 100 }, (__, n) => ({
        token: keys[n % 10]!.secret,
        address: INSIDE,
        cost: 1,
        request_id: `exact-${batch}-${n}`,
      })),
    );
    const waiting = [...batches, ...batches];
    const found: { status: number; body: JsonBody }[] = [];
    // What a busy process does not decide is sent again, as its Retry-After says.
    const decide = async (items: (typeof batches)[number]): Promise<typeof found> => {
      const got = await entries(items);
      const isOpen = ({ status }: { status: number }) => status === 429 || status === 503;
      const open = items.filter((_, place) => isOpen(got[place]!));
      const rest = open.length === 0 ? [] : await decide(open);
      return [...got.filter((entry) => !isOpen(entry)), ...rest];
    };
    const caller = async () => {
      for (let batch = waiting.shift(); batch; batch = waiting.shift()) found.push(...(await decide(batch)));
    };
    await Promise.all(Array.from({ length: 32 }, caller));
    expect(found).toHaveLength(10_000);
    expect(found.filter(({ body }) => body.active)).toHaveLength(2 * (4_500 + 300));
    expect(await Promise.all(keys.map(({ keyId }) => used(keyId)))).toEqual([
      300,
      ...Array<number>(9).fill(500),
    ]);
    const lines = await Promise.all(keys.map(linesOf));
    expect(lines.flat()).toHaveLength(4_800);
  });
});
