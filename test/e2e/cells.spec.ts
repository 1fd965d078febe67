import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeVoice } from '../support/previews';
import { eventually } from '../support/eventually';
import { Haproxy, hasHaproxy } from '../support/haproxy';
import { Stack, type IssuedKey, type JsonBody } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const CELLS = join(__dirname, '../../deploy/cells');

let first: Stack;
let second: Stack;
let ofFirst: IssuedKey;
let ofSecond: IssuedKey;
let service: string;

beforeAll(async () => {
  const env = { TRUSTED_PROXIES: '127.0.0.1' };
  first = await Stack.start({ worker: false, env });
  second = await Stack.start({ worker: false, env: { ...env, CELL: '01' } });
  [ofFirst, ofSecond] = await Promise.all([first.issueKey(), second.issueKey()]);
  service = await shareCredential();
});

afterAll(() => Promise.all([first.stop(), second.stop()]));

const MODELS = '/v1/models';

const headersOf = ({ secret }: IssuedKey) => ({ 'xi-api-key': secret });

/** The `preview_url` of a new voice. */
async function previewOf(stack: Stack, { secret }: IssuedKey): Promise<URL> {
  const { voiceId } = await makeVoice(stack, secret);
  const { body } = await stack.request('GET', `/v1/voices/${voiceId}`, { secret });
  return new URL(body.preview_url as string);
}

/** The same credential of a service in both cells. */
async function shareCredential(): Promise<string> {
  const admin = await StaffClient.signedIn(first, 'admin');
  const { body } = await admin.post('/admin/service-credentials', { name: 'speech', reason: 'A test' });
  const [row] = await first.asOwner<{ row: object }>('SELECT to_jsonb(c) AS row FROM service_credential c');
  await second.asOwner(
    'INSERT INTO service_credential SELECT * FROM jsonb_populate_record(NULL::service_credential, $1)',
    [row!.row],
  );
  return (body as { secret: string }).secret;
}

describe('421', () => {
  const misdirected = (what: string, cell: string, own: string) => ({
    status: 421,
    body: {
      detail: expect.objectContaining({
        code: 'other_cell',
        message: expect.stringContaining(
          `The ${what} belongs to the cell '${cell}', and this is the cell '${own}'.`,
        ),
      }),
    },
  });

  it('a key of another cell, before anything is read', async () => {
    expect(await second.request('GET', MODELS, { secret: ofFirst.secret })).toMatchObject(
      misdirected('API key', '00', '01'),
    );
    expect(await first.request('GET', MODELS, { secret: ofSecond.secret })).toMatchObject(
      misdirected('API key', '01', '00'),
    );
    expect(await second.request('GET', MODELS, { secret: ofSecond.secret })).toMatchObject({ status: 200 });
    expect(
      await first.whileLocked('api_key', () => first.request('GET', MODELS, { secret: ofSecond.secret })),
    ).toMatchObject({ status: 421 });
  });

  it('a single-use token, a preview_url, and what a service asks about', async () => {
    const token = await second.request('POST', '/v1/single-use-token/tts_websocket', {
      secret: ofSecond.secret,
    });
    expect(token.body.token).toMatch(/^gct_01/);
    const path = `/v1/text-to-speech/x?single_use_token=${token.body.token as string}`;
    expect(await first.request('POST', path, { body: {} })).toMatchObject(
      misdirected('single-use token', '01', '00'),
    );
    const preview = await previewOf(second, ofSecond);
    expect(preview.pathname).toMatch(/^\/v1\/voices\/gc01/);
    expect(await first.request('GET', preview.pathname + preview.search)).toMatchObject(
      misdirected('voice', '01', '00'),
    );
    const authorization = `Bearer ${service}`;
    const ask = (path: string, body: object) =>
      first.request('POST', path, { body, headers: { authorization } });
    expect(await ask('/introspect', { token: ofSecond.secret })).toMatchObject(
      misdirected('credential', '01', '00'),
    );
    const hold = { account_id: ofSecond.accountId, request_id: 'r-1' };
    expect(await ask('/introspect/release', hold)).toMatchObject(misdirected('account', '01', '00'));
  });

  it('a mistyped key is no key of any cell', async () => {
    const secret = `gck_zz${ofSecond.secret.slice(6)}`;
    expect(await first.request('GET', MODELS, { secret })).toMatchObject({ status: 401 });
  });
});

(hasHaproxy ? describe : describe.skip)('behind HAProxy', () => {
  let maps: string;
  let proxy: Haproxy;

  beforeAll(async () => {
    maps = mkdtempSync(join(tmpdir(), 'greenroom-cells-'));
    cpSync(CELLS, maps, { recursive: true });
    // A key of the first cell whose account has moved to the second.
    const digest = createHash('sha256').update(MOVED).digest('hex').toUpperCase();
    appendFileSync(join(maps, 'moved.map'), `${digest} cell_01\n`);
    proxy = await startProxy(new URL(second.baseUrl).host);
  });

  afterAll(async () => {
    await proxy.stop();
    rmSync(maps, { recursive: true });
  });

  const MOVED = 'sk-moved-0123456789abcdef0123456789';
  const startProxy = async (cell1: string) => {
    const addresses = { CELL_00: new URL(first.baseUrl).host, CELL_01: cell1 };
    const started = await Haproxy.start(join(CELLS, 'haproxy.cfg'), { MAPS: maps, ...addresses });
    await eventually(() => fetch(`http://${started.address}/`));
    return started;
  };
  const call = (path: string, init: RequestInit = {}) => fetch(`http://${proxy.address}${path}`, init);

  it('every form of credential reaches its cell', async () => {
    for (const key of [ofFirst, ofSecond]) {
      expect((await call(MODELS, { headers: headersOf(key) })).status).toBe(200);
      const stack = key === ofFirst ? first : second;
      const token = await stack.request('POST', '/v1/single-use-token/tts_websocket', { secret: key.secret });
      const byToken = await call(`/v1/text-to-speech/x?single_use_token=${token.body.token as string}`, {
        method: 'POST',
      });
      expect(byToken.status).not.toBe(421);
      const preview = await previewOf(stack, key);
      expect((await call(preview.pathname + preview.search)).status).toBe(200);
    }
  });

  it('what services ask about reaches the cell of the key or the account', async () => {
    const headers = {
      authorization: `Bearer ${service}`,
      'content-type': 'application/json',
    };
    const ask = async (path: string, body: object) =>
      (await call(path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<JsonBody>;
    for (const { secret, accountId } of [ofFirst, ofSecond]) {
      const held = {
        token: secret,
        scope: 'text_to_speech',
        cost: 5,
        operation: 'speech',
        request_id: `hold-${accountId}`,
        hold_seconds: 60,
      };
      expect(await ask('/introspect', held)).toMatchObject({ active: true });
      expect(
        await ask('/introspect/capture', { account_id: accountId, request_id: held.request_id, cost: 3 }),
      ).toMatchObject({ charged: 3 });
    }
  });

  it('a key that has moved reaches the cell that its account is in now', async () => {
    const { accountId, keyId } = await second.issueKey();
    await second.asOwner('UPDATE api_key_secret SET digest = $1 WHERE key_id = $2', [
      createHash('sha256').update(MOVED).digest('hex'),
      keyId,
    ]);
    expect(accountId).toMatch(/^3031/);
    expect((await call(MODELS, { headers: { 'xi-api-key': MOVED } })).status).toBe(200);
  });

  it('staff choose a cell and stay there', async () => {
    const chosen = await call('/console/?cell=01', { redirect: 'manual' });
    expect(chosen.headers.get('set-cookie')).toContain('greenroom_cell=cell_01');
    const admin = await StaffClient.signedIn(second, 'admin');
    const cookie = `${admin.cookieHeader}; greenroom_cell=cell_01`;
    expect((await call('/admin/me', { headers: { cookie } })).status).toBe(200);
    expect((await call('/admin/me', { headers: { cookie: admin.cookieHeader } })).status).toBe(401);
  });

  it('a cell that is away is 503 for its own customers, and for no others', async () => {
    await proxy.stop();
    proxy = await startProxy('127.0.0.1:1');
    await eventually(async () =>
      expect((await call(MODELS, { headers: headersOf(ofSecond) })).status).toBe(503),
    );
    for (let round = 0; round < 20; round++)
      expect((await call(MODELS, { headers: headersOf(ofFirst) })).status).toBe(200);
  });
});
