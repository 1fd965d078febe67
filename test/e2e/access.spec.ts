import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { generateSecret } from '../../libs/domain/keys/api-key-secret';
import { RELEASE } from '../../libs/database/schema/release';
import { Stack } from '../support/stack';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({
    worker: false,
    env: { TRUSTED_PROXIES: '127.0.0.9' },
  });
});

afterAll(async () => {
  await stack.stop();
});

const models = (secret?: string, headers?: Record<string, string>) =>
  stack.request('GET', '/v1/models', { secret, headers });

/** A request from another local address: 127.0.0.9 is a trusted proxy here, 127.0.0.1 is not. */
async function modelsFrom(localAddress: string, secret: string, forwardedFor?: string): Promise<number> {
  const { hostname, port } = new URL(stack.baseUrl);
  return new Promise((resolve, reject) => {
    const headers = {
      'xi-api-key': secret,
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    };
    httpRequest({ hostname, port, path: '/v1/models', localAddress, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

const update = (keyId: string, set: string) =>
  stack.dataSource.query(`UPDATE api_key SET ${set} WHERE id = $1`, [keyId]);

describe('200', () => {
  it('a key with the permission gets in, and every response carries a request id', async () => {
    const { secret } = await stack.issueKey({ permissions: ['models_read'] });
    const response = await models(secret);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(response.body).toEqual(
      expect.arrayContaining([expect.objectContaining({ model_id: 'eleven_ttv_v3' })]),
    );
  });

  it('probes need no key', async () => {
    const { status, body } = await stack.request('GET', '/healthz');
    expect([status, body]).toEqual([200, { status: 'ok', ...RELEASE }]);
    expect((await stack.request('GET', '/readyz')).status).toBe(200);
  });
});

describe('401', () => {
  it('no credential', async () => {
    const { status, headers, body } = await models();
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('ApiKey realm="greenroom"');
    expect(body.detail).toEqual({
      type: 'authentication_error',
      code: 'missing_api_key',
      status: 'needs_authorization',
      message: 'Neither authorization header nor xi-api-key received, please provide one.',
      request_id: headers.get('x-request-id'),
    });
  });

  it('malformed, unknown, disabled, expired and suspended keys get one and the same body', async () => {
    const disabled = await stack.issueKey();
    await update(disabled.keyId, `disable_reason = 'self_disabled'`);
    const expired = await stack.issueKey();
    await update(expired.keyId, `expires_at = now() - interval '1 second'`);
    const suspended = await stack.issueKey();
    await stack.dataSource.query(`UPDATE account SET status = 'suspended' WHERE id = $1`, [
      suspended.accountId,
    ]);
    const secrets = [
      'nonsense',
      `${disabled.secret}x`,
      generateSecret('api_key', randomBytes),
      disabled.secret,
      expired.secret,
      suspended.secret,
    ];
    const responses = await Promise.all(secrets.map((secret) => models(secret)));
    const bodies = responses.map(({ body }) => ({ ...body.detail, request_id: '' }));
    expect(responses.map(({ status }) => status)).toEqual(secrets.map(() => 401));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({
      type: 'authentication_error',
      code: 'invalid_api_key',
      status: 'invalid_api_key',
      message: 'Invalid API key',
    });
  });

  it('a key in the query, a bearer token and a doubled header do not count as credentials', async () => {
    const { secret } = await stack.issueKey();
    expect((await stack.request('GET', `/v1/models?xi-api-key=${secret}`)).status).toBe(401);
    expect((await models(undefined, { authorization: `Bearer ${secret}` })).status).toBe(401);
    expect((await models(`${secret}, ${secret}`)).status).toBe(401);
  });
});

describe('403', () => {
  it('an address that is not on the list, whatever X-Forwarded-For says, unless a trusted proxy says it', async () => {
    const { secret } = await stack.issueKey({ allowedIps: ['203.0.113.0/24'] });
    expect(await modelsFrom('127.0.0.1', secret)).toBe(403);
    expect(await modelsFrom('127.0.0.1', secret, '203.0.113.9')).toBe(403);
    expect(await modelsFrom('127.0.0.9', secret, '203.0.113.9')).toBe(200);
    expect(await modelsFrom('127.0.0.9', secret, '203.0.113.9, 198.51.100.1')).toBe(403);
    expect(await modelsFrom('127.0.0.9', secret, 'garbage')).toBe(403);
    expect(await modelsFrom('127.0.0.9', secret)).toBe(403);
    const { body } = await models(secret);
    expect(body.detail).toMatchObject({
      type: 'authorization_error',
      code: 'ip_not_allowed',
      status: 'ip_not_allowed',
      message: 'The address 127.0.0.1 is not on the IP allow-list of this API key.',
    });
  });

  it('an address on the list gets in', async () => {
    const { secret } = await stack.issueKey({ allowedIps: ['127.0.0.0/8'] });
    expect((await models(secret)).status).toBe(200);
  });

  it('a missing permission', async () => {
    const { secret } = await stack.issueKey({ permissions: ['voices_read'] });
    const { status, body } = await models(secret);
    expect(status).toBe(403);
    expect(body.detail).toMatchObject({
      type: 'authorization_error',
      code: 'insufficient_permissions',
      status: 'missing_permissions',
      message: 'The API key you used is missing the permission models_read to execute this operation.',
    });
  });

  it('the address is judged before the permission', async () => {
    const { secret } = await stack.issueKey({ permissions: ['voices_read'], allowedIps: ['203.0.113.0/24'] });
    expect((await models(secret)).body.detail).toMatchObject({ code: 'ip_not_allowed' });
  });
});

describe('404 and 405', () => {
  it('a path that nothing serves', async () => {
    const { status, body, headers } = await stack.request('GET', '/v1/nothing');
    expect(status).toBe(404);
    expect(body.detail).toMatchObject({
      type: 'not_found',
      code: 'not_found',
      request_id: headers.get('x-request-id'),
    });
  });

  it('a method that a path does not have, with those that it has', async () => {
    const { status, headers, body } = await stack.request('DELETE', '/v1/models');
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD');
    expect(body.detail).toMatchObject({ code: 'method_not_allowed', type: 'invalid_request' });
  });
});

it('only the digest and the last four of a secret are stored', async () => {
  const { secret, keyId } = await stack.issueKey();
  const [row] = await stack.dataSource.query<{ digest: string; hint: string }[]>(
    'SELECT digest, hint FROM api_key_secret WHERE key_id = $1',
    [keyId],
  );
  expect(row).toEqual({
    digest: createHash('sha256').update(secret).digest('hex'),
    hint: `grk_…${secret.slice(-4)}`,
  });
});
