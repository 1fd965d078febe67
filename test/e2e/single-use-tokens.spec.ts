import { Logger } from '@nestjs/common';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { LimitExpiry } from '../../apps/worker/src/housekeeping/limit-expiry';
import { digestSecret, generateSecret } from '../../libs/domain/keys/api-key-secret';
import { PostgresLimitStore } from '../../libs/limits/postgres-limit-store';
import { BudgetRepository } from '../../libs/database/credits/budget.repository';
import { SingleUseTokenRepository } from '../../libs/database/keys/single-use-token.repository';
import { randomBytes } from 'node:crypto';
import { makeVoice } from '../support/previews';
import { createBody, designBody, TEXT } from '../support/samples';
import { Stack, type IssuedKey, type JsonBody } from '../support/stack';

const INSIDE = '203.0.113.10';
const OUTSIDE = '198.51.100.7';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'verbose' } });
});

afterAll(async () => {
  await stack.stop();
});

const mint = ({ secret }: IssuedKey, type: string, body?: object, from = INSIDE) =>
  stack.request('POST', `/v1/single-use-token/${type}`, {
    secret,
    body,
    headers: { 'x-forwarded-for': from },
  });

async function tokenFor(key: IssuedKey, type: string, body?: object): Promise<string> {
  const response = await mint(key, type, body);
  expect(response.status).toBe(200);
  return response.body.token as string;
}

const design = (query: string, body: object = designBody(), headers: Record<string, string> = {}) =>
  stack.request('POST', `/v1/text-to-voice/design?${query}`, {
    body,
    headers: { 'x-forwarded-for': INSIDE, ...headers },
  });

async function previewsOf({ secret }: IssuedKey): Promise<string[]> {
  const { body } = await stack.request('POST', '/v1/text-to-voice/design', { secret, body: designBody() });
  return (body.previews as { generated_voice_id: string }[]).map((preview) => preview.generated_voice_id);
}

const stream = (id: string, token: string) =>
  stack.request('GET', `/v1/text-to-voice/${id}/stream?single_use_token=${token}`);

/** A body without what differs from response to response. */
function withoutIds({ detail }: JsonBody): object {
  const { request_id: _, ...rest } = { ...detail };
  return rest;
}

const NOT_VALID = {
  type: 'authentication_error',
  code: 'invalid_single_use_token',
  status: 'invalid_single_use_token',
  message:
    'The single-use token is not valid: it is unknown, expired, used already, or not for this request.',
};

describe('200', () => {
  it('the token of a preview serves a player that reads parts, as Safari does, and ends with the whole', async () => {
    const key = await stack.issueKey();
    const [id] = (await previewsOf(key)) as [string];
    const token = await tokenFor(key, 'preview_stream');
    const part = async (range?: string) =>
      (
        await stack.request('GET', `/v1/text-to-voice/${id}/stream?single_use_token=${token}`, {
          headers: { 'x-forwarded-for': INSIDE, ...(range && { range }) },
        })
      ).status;
    for (const range of ['bytes=0-1', 'bytes=0-', 'bytes=1000-2000'])
      expect(await part(range)).toBeLessThan(300);
    expect(await part()).toBe(200);
    expect([await part(), await part('bytes=0-1')]).toEqual([401, 401]);
    const late = await tokenFor(key, 'preview_stream');
    const digest = digestSecret(late);
    const played = `/v1/text-to-voice/${id}/stream?single_use_token=${late}`;
    const headers = { 'x-forwarded-for': INSIDE, range: 'bytes=0-1' };
    expect((await stack.request('GET', played, { headers })).status).toBeLessThan(300);
    await stack.dataSource.query(
      "UPDATE single_use_token SET used_at = used_at - interval '61 s' WHERE digest = $1",
      [digest],
    );
    expect((await stack.request('GET', played, { headers })).status).toBe(401);
  });

  it('a token speaks once with its voice, whole or streamed, and for no more than it may cost', async () => {
    const key = await stack.issueKey();
    const { voiceId } = await makeVoice(stack, key.secret);
    const say = (token: string, path = '', id = voiceId) =>
      stack.request('POST', `/v1/text-to-speech/${id}${path}?single_use_token=${token}`, {
        body: { text: TEXT },
        headers: { 'x-forwarded-for': INSIDE },
      });
    const body = { voice_id: voiceId, max_credits: TEXT.length };
    for (const path of ['', '/stream']) {
      const token = await tokenFor(key, 'text_to_speech', body);
      expect((await say(token, path)).status).toBe(200);
      expect((await say(token, path)).status).toBe(401);
    }
    const token = await tokenFor(key, 'text_to_speech', { ...body, max_credits: 5 });
    expect((await say(token, '', 'x'.repeat(20))).status).toBe(401);
    expect((await say(token)).status).toBe(402);
    expect((await say(token, '/with-timestamps')).status).toBe(401);
  });

  it('a token is issued without body and content type, as the official client libraries request one', async () => {
    const { secret } = await stack.issueKey();
    const { status, body } = await stack.request('POST', '/v1/single-use-token/text_to_voice_design', {
      secret,
    });
    expect(status).toBe(200);
    expect(body).toEqual({ token: expect.stringMatching(/^grt_[0-9A-Za-z]{38}$/) });
  });

  it.each([
    ['?single_use_token=', (token: string) => design(`single_use_token=${token}`)],
    ['?token=', (token: string) => design(`token=${token}`)],
    ['xi-single-use-token', (token: string) => design('', designBody(), { 'xi-single-use-token': token })],
  ])('a token designs once, as its key, in %s', async (_, use) => {
    const key = await stack.issueKey({ creditLimit: 150 });
    const token = await tokenFor(key, 'text_to_voice_design');
    expect((await use(token)).status).toBe(200);
    expect((await use(token)).status).toBe(401);
    const [line] = await stack.dataSource.query<object[]>(
      'SELECT key_id, amount::int FROM credit_ledger WHERE account_id = $1',
      [key.accountId],
    );
    expect(line).toEqual({ key_id: key.keyId, amount: TEXT.length });
  });

  it('a page streams and creates with what its tokens are bound to', async () => {
    const key = await stack.issueKey();
    const [first = '', second = ''] = await previewsOf(key);
    const pin = { generated_voice_id: first };
    const streaming = await tokenFor(key, 'preview_stream', pin);
    expect((await stream(second, streaming)).status).toBe(401);
    expect((await stream(first, streaming)).headers.get('content-type')).toBe('audio/mpeg');
    const creating = await tokenFor(key, 'text_to_voice_create', pin);
    const create = (id: string) =>
      stack.request('POST', `/v1/text-to-voice?token=${creating}`, { body: createBody(id) });
    expect((await create(second)).status).toBe(401);
    expect((await create(first)).status).toBe(200);
  });

  it('a page remixes the voice that its token is bound to, and no other', async () => {
    const key = await stack.issueKey();
    const [first, second] = [await makeVoice(stack, key.secret), await makeVoice(stack, key.secret)];
    const token = await tokenFor(key, 'text_to_voice_remix', { voice_id: first.voiceId });
    const remix = (id: string) =>
      stack.request('POST', `/v1/text-to-voice/${id}/remix?token=${token}`, {
        body: { voice_description: 'A little slower, please.', text: TEXT },
      });
    const refused = await remix(second.voiceId);
    expect([refused.status, withoutIds(refused.body)]).toEqual([401, NOT_VALID]);
    expect((await remix(first.voiceId)).status).toBe(200);
  });

  it('a request with a key uses no token up', async () => {
    const key = await stack.issueKey();
    const token = await tokenFor(key, 'text_to_voice_design');
    expect((await design(`token=${token}`, designBody(), { 'xi-api-key': key.secret })).status).toBe(200);
    expect((await design(`token=${token}`)).status).toBe(200);
  });

  it('of 50 uses at the same time, one succeeds', async () => {
    const key = await stack.issueKey();
    const [id = ''] = await previewsOf(key);
    const token = await tokenFor(key, 'preview_stream');
    const responses = await Promise.all(Array.from({ length: 50 }, () => stream(id, token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = responses.filter(({ status }) => status === 401);
    expect(refused).toHaveLength(49);
    for (const { body } of refused) expect(withoutIds(body)).toEqual(NOT_VALID);
  });

  it('a request that is refused for what it says leaves its token usable', async () => {
    const key = await stack.issueKey();
    const token = await tokenFor(key, 'text_to_voice_design', { max_credits: TEXT.length });
    expect((await design(`token=${token}`, { text: 'too short' })).status).toBe(422);
    const tooLong = await design(`token=${token}`, designBody({ text: `${TEXT}!` }));
    expect(tooLong.status).toBe(402);
    expect(tooLong.body.detail).toMatchObject({ code: 'insufficient_credits' });
    expect((await design(`token=${token}`)).status).toBe(200);
  });

  it('the allow-list of the key applies when a token is issued, and again as it is when the token is used', async () => {
    const key = await stack.issueKey({ allowedIps: [INSIDE] });
    expect((await mint(key, 'text_to_voice_design', undefined, OUTSIDE)).status).toBe(403);
    const token = await tokenFor(key, 'text_to_voice_design');
    const from = (address: string) => design(`token=${token}`, designBody(), { 'x-forwarded-for': address });
    const refused = await from(OUTSIDE);
    expect([refused.status, withoutIds(refused.body)]).toEqual([401, NOT_VALID]);
    await stack.dataSource.query('UPDATE api_key SET allowed_ips = $2 WHERE id = $1', [key.keyId, [OUTSIDE]]);
    expect((await from(INSIDE)).status).toBe(401);
    expect((await from(OUTSIDE)).status).toBe(200);
  });

  it('a token ends with the secret that requested it, not with the key', async () => {
    const key = await stack.issueKey();
    const rotate = (overlapDays: number) =>
      stack.api
        .get(ApiKeyChangesService)
        .rotate({ actor: bySystem('test'), keyId: key.keyId, expected: 'any', reason: null }, overlapDays);
    const [first, second] = [
      await tokenFor(key, 'text_to_voice_design'),
      await tokenFor(key, 'text_to_voice_design'),
    ];
    const { secret } = await rotate(1);
    // The old secret works for a day more, and its tokens with it.
    expect((await design(`token=${first}`)).status).toBe(200);
    await stack.api
      .get(ApiKeyChangesService)
      .endRotation({ actor: bySystem('test'), keyId: key.keyId, expected: 'any', reason: null });
    const refused = await design(`token=${second}`);
    expect([refused.status, withoutIds(refused.body)]).toEqual([401, NOT_VALID]);
    const third = await tokenFor({ ...key, secret }, 'text_to_voice_design');
    expect((await design(`token=${third}`)).status).toBe(200);
    const fourth = await tokenFor({ ...key, secret }, 'text_to_voice_design');
    await rotate(0);
    expect((await design(`token=${fourth}`)).status).toBe(401);
  });

  it('a token for one address works from there, however the address is written', async () => {
    const key = await stack.issueKey();
    const token = await tokenFor(key, 'text_to_voice_design', { address: `::ffff:${INSIDE}` });
    const from = (address: string) => design(`token=${token}`, designBody(), { 'x-forwarded-for': address });
    const refused = await from(OUTSIDE);
    expect([refused.status, withoutIds(refused.body)]).toEqual([401, NOT_VALID]);
    expect((await from(INSIDE)).status).toBe(200);
  });
});

describe('401', () => {
  const set = (token: string, what: string) =>
    stack.dataSource.query(`UPDATE single_use_token SET ${what} WHERE digest = $1`, [digestSecret(token)]);
  const ofKey = (sql: string) => async (key: IssuedKey) => {
    await stack.dataSource.query(sql, [sql.includes('api_key') ? key.keyId : key.accountId]);
  };

  it.each<[string, (key: IssuedKey, token: string) => Promise<unknown>]>([
    ['expired', (_, token) => set(token, `expires_at = now()`)],
    ['used', (_, token) => set(token, `used_at = now()`)],
    ['of a disabled key', ofKey(`UPDATE api_key SET disable_reason = 'unused' WHERE id = $1`)],
    ['of an expired key', ofKey(`UPDATE api_key SET expires_at = now() WHERE id = $1`)],
    ['of a deleted key', ofKey(`UPDATE api_key SET deleted_at = now() WHERE id = $1`)],
    ['of a suspended account', ofKey(`UPDATE account SET status = 'suspended' WHERE id = $1`)],
  ])('a token that is %s, with one and the same body', async (_, spoil) => {
    const key = await stack.issueKey();
    const token = await tokenFor(key, 'text_to_voice_design');
    await spoil(key, token);
    const { status, body } = await design(`token=${token}`);
    expect([status, withoutIds(body)]).toEqual([401, NOT_VALID]);
  });

  it.each([
    ['GET', '/v1/models'],
    ['POST', '/v1/text-to-voice'],
    ['GET', `/v1/text-to-voice/${'x'.repeat(20)}/stream`],
    ['POST', '/v1/single-use-token/text_to_voice_design'],
  ])('a token on an operation that is not its own: %s %s', async (method, path) => {
    const token = await tokenFor(await stack.issueKey(), 'text_to_voice_design');
    const { status, body } = await stack.request(method, `${path}?token=${token}`);
    expect(status).toBe(401);
    expect(withoutIds(body)).toEqual(NOT_VALID);
    const [{ unused } = {}] = await stack.dataSource.query<{ unused?: boolean }[]>(
      `SELECT used_at IS NULL AS unused FROM single_use_token WHERE digest = $1`,
      [digestSecret(token)],
    );
    expect(unused).toBe(true);
  });

  it.each([
    ['unknown', generateSecret('single_use_token', randomBytes)],
    ['malformed', 'grt_nonsense'],
    ['a key', generateSecret('api_key', randomBytes)],
    ['empty', ''],
    ['with a zero byte', '%00'],
    ['an emoji', '%F0%9F%8E%99'],
    ['very long', 'a'.repeat(8_000)],
    ['two different ones', `a&token=b`],
  ])('a token that is %s', async (_, token) => {
    const { status, body } = await design(`token=${token}`);
    expect([status, withoutIds(body)]).toEqual([401, NOT_VALID]);
  });
});

describe('403', () => {
  it('a token for an address that is not on the list of its key is not issued', async () => {
    const key = await stack.issueKey({ allowedIps: [INSIDE] });
    const refused = await mint(key, 'text_to_voice_design', { address: OUTSIDE });
    expect([refused.status, withoutIds(refused.body)]).toEqual([
      403,
      expect.objectContaining({
        code: 'ip_not_allowed',
        param: 'address',
        message: `The address ${OUTSIDE} is not on the IP allow-list of this API key.`,
      }),
    ]);
    const [row] = await stack.dataSource.query(
      'SELECT count(*)::int AS n FROM single_use_token WHERE key_id = $1',
      [key.keyId],
    );
    expect(row).toEqual({ n: 0 });
    await tokenFor(key, 'text_to_voice_design', { address: INSIDE });
  });

  it('minting without the permission of the operation', async () => {
    const key = await stack.issueKey({ permissions: ['voice_generation'] });
    expect((await mint(key, 'text_to_voice_create')).body.detail).toMatchObject({
      code: 'insufficient_permissions',
    });
    expect((await mint(key, 'text_to_voice_design')).status).toBe(200);
  });

  it('a permission that the key has lost since', async () => {
    const key = await stack.issueKey();
    const token = await tokenFor(key, 'text_to_voice_design');
    await stack.dataSource.query(`UPDATE api_key SET permissions = '{voices_read}' WHERE id = $1`, [
      key.keyId,
    ]);
    expect((await design(`token=${token}`)).status).toBe(403);
  });
});

describe('422', () => {
  it.each<[string, string, object | undefined, (string | number)[]]>([
    ['an unknown type', 'realtime_scribe', undefined, ['path', 'token_type']],
    ['a zero byte', '%00', undefined, ['path', 'token_type']],
    ['no address', 'preview_stream', { address: '10.0.0.0/8' }, ['body', 'address']],
    ['a fraction of a credit', 'preview_stream', { max_credits: 0.5 }, ['body', 'max_credits']],
    ['negative credits', 'preview_stream', { max_credits: -1 }, ['body', 'max_credits']],
    ['credits above 2^53', 'preview_stream', { max_credits: 2 ** 60 }, ['body', 'max_credits']],
    ['a pin that its operation does not name', 'preview_stream', { voice_id: 'x' }, ['body', 'voice_id']],
    ['a pin of the wrong type', 'preview_stream', { generated_voice_id: 7 }, ['body', 'generated_voice_id']],
    ['a list', 'preview_stream', [], ['body']],
  ])('%s', async (_, type, body, loc) => {
    const response = await mint(await stack.issueKey(), type, body);
    expect(response.status).toBe(422);
    expect(response.body.detail?.[0]).toMatchObject({ loc });
  });
});

describe('pages of other origins', () => {
  const headersOf = ({ headers }: { headers: Headers }) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control')));
  const READABLE = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('x-request-id') as unknown,
  };
  const PREFLIGHT = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': '*',
    'access-control-allow-methods': 'POST, PATCH, OPTIONS, DELETE, GET, PUT',
    'access-control-max-age': '600',
  };
  const preflight = (path: string) =>
    stack.request('OPTIONS', path, {
      headers: { origin: 'https://page.test', 'access-control-request-method': 'POST' },
    });

  it.each([
    ['GET', '/v1/models', 401],
    ['GET', '/v2/voices', 401],
    ['GET', '/v1/nothing', 404],
    ['GET', '/v1/%zz', 400],
    ['DELETE', '/v1/models', 405],
  ])('read the refusal of %s %s', async (method, path, status) => {
    const response = await stack.request(method, path, { headers: { origin: 'https://page.test' } });
    expect([response.status, headersOf(response)]).toEqual([status, READABLE]);
  });

  it('may send requests to the public API, and never to the administration', async () => {
    const allowed = await preflight('/v1/text-to-voice/design');
    expect([allowed.status, headersOf(allowed)]).toEqual([200, PREFLIGHT]);
    for (const path of ['/admin/accounts', '/admin/auth/sign-in', '/healthz', '/v1x'])
      expect(headersOf(await preflight(path))).toEqual({});
    expect(headersOf(await stack.request('GET', '/admin/accounts'))).toEqual({});
  });
});

describe('afterwards', () => {
  it('neither a log nor the database has seen the value of a token', async () => {
    const logged: string[] = [];
    const spies = [process.stdout, process.stderr].map((stream) =>
      jest.spyOn(stream, 'write').mockImplementation((text) => Boolean(logged.push(String(text)))),
    );
    const key = await stack.issueKey();
    const tokens = [];
    try {
      for (const path of ['/v1/text-to-voice/design', '/v1/models', '/v1/nothing', '/v1/%zz', '/admin/x']) {
        const token = await tokenFor(key, 'text_to_voice_design');
        tokens.push(token);
        await stack.request('POST', `${path}?token=${token}`, { body: designBody() });
        await stack.request('POST', `${path}?single_use_token=${token}&token=${token}x`, {
          body: 'nonsense',
        });
      }
      new Logger('Test').log('The end of this test');
      await stack.asOwner('ALTER TABLE single_use_token RENAME TO elsewhere');
      expect((await design(`token=${tokens[0]}`)).status).toBe(500);
    } finally {
      await stack.asOwner('ALTER TABLE IF EXISTS elsewhere RENAME TO single_use_token');
      for (const spy of spies) spy.mockRestore();
    }
    const log = logged.join('');
    expect(log).toContain('The end of this test');
    expect(log).toContain('relation \\"single_use_token\\" does not exist');
    const stored = JSON.stringify(await stack.dataSource.query('SELECT * FROM single_use_token'));
    for (const token of tokens) {
      expect(log).not.toContain(token);
      expect(stored).not.toContain(token);
    }
  });

  it('expired tokens are deleted after an hour', async () => {
    const key = await stack.issueKey();
    await tokenFor(key, 'preview_stream');
    await tokenFor(key, 'preview_stream');
    await stack.dataSource.query(
      `UPDATE single_use_token SET expires_at = now() - interval '61 minutes'
       WHERE digest = (SELECT min(digest) FROM single_use_token WHERE key_id = $1)`,
      [key.keyId],
    );
    await new LimitExpiry(
      stack.api.get(SingleUseTokenRepository),
      new PostgresLimitStore(stack.dataSource),
      stack.api.get(BudgetRepository),
    ).expire();
    const [left] = await stack.dataSource.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM single_use_token WHERE key_id = $1',
      [key.keyId],
    );
    expect(left?.count).toBe(1);
  });
});
