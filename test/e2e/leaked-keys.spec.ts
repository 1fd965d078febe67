import { randomBytes, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { generateSecret } from '../../libs/domain/keys/api-key-secret';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { Stack, type JsonBody } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const scanner = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const otherCurve = generateKeyPairSync('ec', { namedCurve: 'P-384' });

let published: Server;
let stack: Stack;

beforeAll(async () => {
  const publish = (id: string, { publicKey }: { publicKey: KeyObject }) => ({
    key_identifier: id,
    key: publicKey.export({ type: 'spki', format: 'pem' }),
    is_current: true,
  });
  const unreadable = [null, { key_identifier: 'k5', key: 'no key' }, { key_identifier: 5 }];
  const keys = {
    public_keys: [...unreadable, publish('k1', scanner), publish('k3', rsa), publish('k4', otherCurve)],
  };
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

/** The n of the curve P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Another valid signature, computed from one: (r, n - s). */
function otherSignature(signature: Buffer): Buffer {
  const r = signature.subarray(4, 4 + signature[3]!);
  const s = BigInt(`0x${signature.subarray(4 + r.length + 2).toString('hex')}`);
  const other = Buffer.from((ORDER - s).toString(16).padStart(66, '0'), 'hex');
  const minimal = other[1]! < 0x80 ? other.subarray(1) : other;
  const integers = Buffer.concat([Buffer.from([2, r.length]), r, Buffer.from([2, minimal.length]), minimal]);
  return Buffer.concat([Buffer.from([0x30, integers.length]), integers]);
}

/** Sends these very bytes. */
async function send(body: string, signature: Buffer): Promise<{ status: number; body: JsonBody }> {
  const headers = {
    'content-type': 'application/json',
    'github-public-key-identifier': 'k1',
    'github-public-key-signature': signature.toString('base64'),
  };
  return stack.request('POST', '/secret-scanning/github', { body, headers });
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

  it('a key whose holders may not disable it is disabled all the same', async () => {
    const { secret } = await stack.issueKey({ thirdPartyDisableAllowed: false });
    expect((await report([finding(secret)])).status).toBe(200);
    expect(await call(secret)).toBe(401);
  });

  it('the same finding in another report says the same and changes nothing', async () => {
    const { secret, keyId } = await stack.issueKey();
    await report([finding(secret), finding(secret)]);
    const again = { ...finding(secret), url: 'https://example.com/elsewhere' };
    expect((await report([again])).body).toMatchObject([{ label: 'true_positive' }]);
    const [row] = await stack.dataSource.query(
      `SELECT count(*)::int AS events FROM audit_event WHERE target_id = $1 AND action = 'key.disabled'`,
      [keyId],
    );
    expect(row).toEqual({ events: 1 });
  });

  it('a text that is not one of our secrets is a false positive, beside one that is', async () => {
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

describe('each finding by itself', () => {
  const labels = ({ body }: { body: JsonBody }) =>
    (body as unknown as { label: string }[]).map(({ label }) => label);

  it('a place with two texts like keys disables its key, and what stands behind it in the batch', async () => {
    const [first, second] = [await stack.issueKey(), await stack.issueKey()];
    const url = `https://example.com/?a=${first.secret}&b=${second.secret}`;
    const reported = await report([{ ...finding(first.secret), url }, finding(second.secret)]);
    expect([reported.status, labels(reported)]).toEqual([200, ['true_positive', 'true_positive']]);
    expect([await call(first.secret), await call(second.secret)]).toEqual([401, 401]);
    const [event] = await stack.dataSource.query('SELECT reason FROM audit_event WHERE target_id = $1', [
      first.keyId,
    ]);
    expect(event.reason).toMatch(/\?a=…&b=…$/);
  });

  it.each([
    ['a token that is not a text', { token: 5, type: 'x' }],
    ['no token', { type: 'x' }],
    ['no object', 'x'],
    ['nothing', null],
    ['a list', [['x']]],
    ['U+0000 in its token', { token: 'grk_\0', type: '\0' }],
    ['half of a surrogate pair', { token: '\ud800', type: 'x', url: '\udc00' }],
  ])('%s in a batch is a false positive, and keeps nothing from being disabled', async (_, broken) => {
    const { secret } = await stack.issueKey();
    const places = { url: `https://example.com/\0\ud800${'\u{1f511}'.repeat(150)}`, source: { a: 1 } };
    const reported = await report([broken, { ...finding(secret), ...places }]);
    expect([reported.status, labels(reported)]).toEqual([200, ['false_positive', 'true_positive']]);
    expect(await call(secret)).toBe(401);
    expect(await stack.api.get(AuditLog).verifyChain()).toMatchObject({ ok: true });
  });

  it('the credential of a service of the platform is disabled too', async () => {
    const staff = await StaffClient.signedIn(stack, 'admin');
    const created = await staff.post('/admin/service-credentials', {
      name: 'speech',
      reason: 'For the test',
    });
    const { id, secret } = created.body as { id: string; secret: string };
    const introspect = async () =>
      (
        await stack.request('POST', '/introspect', {
          body: {
            token: 'grk_x',
            address: '192.0.2.1',
            scope: 'models_read',
            operation: 'x',
            request_id: 'x',
          },
          headers: { authorization: `Bearer ${secret}` },
        })
      ).status;
    expect(await introspect()).not.toBe(401);
    expect(labels(await report([finding(secret)]))).toEqual(['true_positive']);
    expect(await introspect()).toBe(401);
    const [event] = await stack.dataSource.query(
      `SELECT actor_name, reason FROM audit_event WHERE target_id = $1 AND action = 'service_credential.disabled'`,
      [id],
    );
    expect(event).toMatchObject({ actor_name: 'secret scanner', reason: expect.stringMatching(/^Found in/) });
  });

  it.each([
    ['its customer', 'self_disabled'],
    ['staff, who may enable it or undo that,', 'payment_overdue'],
    ['the policy of idle keys', 'idle'],
  ])('a key that was disabled by %s is disabled as exposed', async (_, disabledFor) => {
    const { secret, keyId } = await stack.issueKey();
    await stack.dataSource.query(`UPDATE api_key SET disable_reason = $2 WHERE id = $1`, [
      keyId,
      disabledFor,
    ]);
    expect(labels(await report([finding(secret)]))).toEqual(['true_positive']);
    const [key] = await stack.dataSource.query('SELECT disable_reason AS why FROM api_key WHERE id = $1', [
      keyId,
    ]);
    expect(key).toEqual({ why: 'exposed_publicly' });
  });

  it('503 when one cannot be processed; the others are, and the report may be sent again', async () => {
    const [stuck, other] = [await stack.issueKey(), await stack.issueKey()];
    await stack.asOwner(
      `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'stuck'; END $$;
       CREATE TRIGGER refuse_change BEFORE UPDATE ON api_key FOR EACH ROW WHEN (OLD.id = '${stuck.keyId}')
       EXECUTE FUNCTION refuse_change()`,
    );
    const findings = [finding(stuck.secret), finding(other.secret)];
    expect((await report(findings)).status).toBe(503);
    expect([await call(stuck.secret), await call(other.secret)]).toEqual([200, 401]);
    await stack.asOwner('DROP FUNCTION refuse_change CASCADE');
    expect((await report(findings)).status).toBe(200);
    expect(await call(stuck.secret)).toBe(401);
  });
});

describe('409', () => {
  it('a report that was processed, also under another valid signature: a key that staff have enabled stays so', async () => {
    const { secret, keyId } = await stack.issueKey();
    const body = JSON.stringify([finding(secret)]);
    const signature = sign('sha256', Buffer.from(body), scanner.privateKey);
    expect((await send(body, signature)).status).toBe(200);
    const staff = await StaffClient.signedIn(stack, 'admin');
    const enabled = await staff.post(
      `/admin/api-keys/${keyId}/enable`,
      { reason: 'It was an example' },
      { 'if-match': '*' },
    );
    expect(enabled.status).toBe(200);
    for (const input of [signature, otherSignature(signature)]) {
      expect(verify('sha256', Buffer.from(body), scanner.publicKey, input)).toBe(true);
      const repeated = await send(body, input);
      expect(repeated.status).toBe(409);
      expect(repeated.body.detail).toMatchObject({
        code: 'report_repeated',
        message: expect.stringMatching(/^This report was processed at 20.*Z\. Nothing was changed now\.$/),
      });
      expect(await call(secret)).toBe(200);
    }
  });
});

describe('403, and nothing is disabled', () => {
  it.each([
    ['another key', { key: stranger.privateKey }],
    ['a key id that is not published', { keyId: 'k2' }],
    ['a published key of RSA', { keyId: 'k3', key: rsa.privateKey }],
    ['a published key of another curve', { keyId: 'k4', key: otherCurve.privateKey }],
    ['a published key that is none', { keyId: 'k5' }],
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
    ['no list', { token: 'x' }],
    ['more findings than are accepted', Array.from({ length: 1_001 }, () => finding('x'))],
  ])('%s', async (_, findings) => {
    const { status, body } = await report(findings);
    expect(status).toBe(422);
    expect(body.detail![0]).toMatchObject({ loc: ['body'], input: null, msg: expect.stringMatching(/1000/) });
  });
});

describe('503', () => {
  it('keys of the scanner that cannot be read are read once for all requests, not once for each', async () => {
    let requested = 0;
    const broken = createServer((_, response) => {
      requested += 1;
      response.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const { port } = broken.address() as { port: number };
    const env = { SECRET_SCANNING_KEYS_URL: `http://127.0.0.1:${port}/keys` };
    const without = await Stack.start({ worker: false, env });
    const responses = await Promise.all(Array.from({ length: 20 }, () => report([], { to: without })));
    responses.push(await report([], { to: without }));
    await without.stop();
    broken.close();
    expect([new Set(responses.map(({ status }) => status)), requested]).toEqual([new Set([503]), 1]);
  });
});
