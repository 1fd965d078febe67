import { randomBytes, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { generateSecret } from '../../libs/domain/api-key-secret';
import { Stack, type JsonBody } from '../support/stack';

const scanner = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let published: Server;
let stack: Stack;

beforeAll(async () => {
  const key = scanner.publicKey.export({ type: 'spki', format: 'pem' });
  const keys = { public_keys: [{ key_identifier: 'k1', key, is_current: true }] };
  published = createServer((_, response) => response.end(JSON.stringify(keys))).listen(0, '127.0.0.1');
  await once(published, 'listening');
  const { port } = published.address() as { port: number };
  stack = await Stack.start({
    worker: false,
    env: { SECRET_SCANNING_KEYS_URL: `http://127.0.0.1:${port}/keys` },
  });
});

afterAll(async () => {
  await stack.stop();
  published.close();
});

async function report(
  findings: unknown,
  {
    key = scanner.privateKey,
    keyId = 'k1',
    to = stack,
  }: { key?: KeyObject; keyId?: string; to?: Stack } = {},
): Promise<{ status: number; body: JsonBody }> {
  const body = JSON.stringify(findings);
  const signature = sign('sha256', Buffer.from(body), key).toString('base64');
  const headers = { 'github-public-key-identifier': keyId, 'github-public-key-signature': signature };
  return to.request('POST', '/secret-scanning/github', {
    body,
    headers: { ...headers, 'content-type': 'application/json' },
  });
}

const finding = (token: string) => ({
  token,
  type: 'greenroom_api_key',
  url: 'https://example.com/acme/app/blob/main/.env',
  source: 'content',
});

const call = async (secret: string) => (await stack.request('GET', '/v1/models', { secret })).status;

describe('200', () => {
  it('a reported key is disabled as exposed, and the audit log says where it was found', async () => {
    const { secret, keyId } = await stack.issueKey();
    expect(await call(secret)).toBe(200);
    const { status, body } = await report([finding(secret)]);
    expect(status).toBe(200);
    expect(body).toEqual([{ token_raw: secret, token_type: 'greenroom_api_key', label: 'true_positive' }]);
    expect(await call(secret)).toBe(401);
    const events = await stack.dataSource.query(
      `SELECT actor_name, after->>'disable_reason' AS why, reason FROM audit_event WHERE target_id = $1 AND action = 'key.disabled'`,
      [keyId],
    );
    expect(events).toEqual([
      {
        actor_name: 'secret scanner',
        why: 'exposed_publicly',
        reason:
          'Found in public by a secret scanner (content) at https://example.com/acme/app/blob/main/.env',
      },
    ]);
  });

  it('the same report again says the same and changes nothing', async () => {
    const { secret, keyId } = await stack.issueKey();
    await report([finding(secret)]);
    expect((await report([finding(secret)])).body).toMatchObject([{ label: 'true_positive' }]);
    const [row] = await stack.dataSource.query(
      `SELECT count(*)::int AS events FROM audit_event WHERE target_id = $1 AND action = 'key.disabled'`,
      [keyId],
    );
    expect(row).toEqual({ events: 1 });
  });

  it('what is no secret of ours is a false positive, beside one that is', async () => {
    const { secret } = await stack.issueKey();
    const unknown = generateSecret('api_key', randomBytes);
    const { body } = await report([finding(unknown), finding('grk_short'), finding(secret)]);
    expect((body as unknown as { label: string }[]).map(({ label }) => label)).toEqual([
      'false_positive',
      'false_positive',
      'true_positive',
    ]);
  });

  it('a place that has the secret in its address leaves no secret in the audit log', async () => {
    const { secret, keyId } = await stack.issueKey();
    await report([{ ...finding(secret), url: `https://example.com/?key=${secret}` }]);
    const [row] = await stack.dataSource.query(`SELECT reason FROM audit_event WHERE target_id = $1`, [
      keyId,
    ]);
    expect(row.reason).toMatch(/at https:\/\/example\.com\/\?key=…$/);
  });
});

describe('403, and nothing is disabled', () => {
  it.each([
    ['another key', { key: stranger.privateKey }],
    ['a key id that is not published', { keyId: 'k2' }],
  ])('a report signed with %s', async (_, options) => {
    const { secret } = await stack.issueKey();
    const { status, body } = await report([finding(secret)], options);
    expect([status, body.detail]).toEqual([403, expect.objectContaining({ code: 'report_not_signed' })]);
    expect(await call(secret)).toBe(200);
  });

  it('a report without a signature, and one whose body was changed', async () => {
    const { secret } = await stack.issueKey();
    const bare = await stack.request('POST', '/secret-scanning/github', { body: [finding(secret)] });
    expect(bare.status).toBe(403);
    const signature = sign('sha256', Buffer.from('[]'), scanner.privateKey).toString('base64');
    const headers = { 'github-public-key-identifier': 'k1', 'github-public-key-signature': signature };
    const changed = await stack.request('POST', '/secret-scanning/github', {
      body: [finding(secret)],
      headers,
    });
    expect(changed.status).toBe(403);
    expect(await call(secret)).toBe(200);
  });

  it('every report, where none are expected', async () => {
    const closed = await Stack.start({ worker: false });
    const { status, body } = await report([], { to: closed });
    await closed.stop();
    expect([status, body.detail]).toEqual([
      403,
      expect.objectContaining({ code: 'leak_reports_not_expected' }),
    ]);
  });
});

describe('422', () => {
  it.each([
    ['no list', { token: 'x' }, ['body']],
    ['a token that is no text', [{ token: 5, type: 'x' }], ['body', 0, 'token']],
    ['no token', [{ type: 'x' }], ['body', 0, 'token']],
    ['no object', ['x'], ['body', 0, 'token']],
  ])('%s, without sending a token back', async (_, findings, loc) => {
    const { status, body } = await report(findings);
    expect(status).toBe(422);
    expect(body.detail![0]).toMatchObject({ loc, input: null });
  });
});
