import { TrafficRecorder } from '../../apps/api/src/observed-traffic/traffic-recorder';
import { eventually } from '../support/eventually';
import { issueServiceCredential } from '../support/ledger-storm';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const OFFICE = '203.0.113.10';
const DISABLE = { disable_reason: 'unused', reason: 'A test' };

let stack: Stack;
let support: StaffClient;
let recorder: TrafficRecorder;

beforeAll(async () => {
  stack = await Stack.start({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  support = await StaffClient.signedIn(stack, 'support');
  recorder = stack.api.get(TrafficRecorder);
});

afterAll(async () => {
  await stack.stop();
});

async function call({ secret }: IssuedKey, { path = '/v1/models', from = OFFICE } = {}): Promise<number> {
  return (await stack.request('GET', path, { secret, headers: { 'x-forwarded-for': from } })).status;
}

/** What staff see, once it is what is expected: a request is recorded just after its response. */
async function expectShown(
  { keyId }: IssuedKey,
  what: 'traffic' | 'refusals',
  expected: object,
): Promise<void> {
  await eventually(async () => {
    await recorder.flush();
    const { body } = await support.get(`/admin/api-keys/${keyId}/${what}`);
    expect(body).toMatchObject(expected);
  });
}

it('requests are counted by route, address and outcome', async () => {
  const key = await stack.issueKey({ permissions: ['models_read'] });
  for (const from of [OFFICE, OFFICE, '2001:db8::1', 'garbage']) await call(key, { from });
  await call(key, { path: '/v1/voices/none' });
  await expectShown(key, 'traffic', {
    days: 7,
    addresses: [
      { address: OFFICE, outcome: 'served', requests: 2 },
      { address: '2001:db8::1', outcome: 'served', requests: 1 },
      { address: OFFICE, outcome: 'scope', requests: 1 },
      { address: 'unknown', outcome: 'served', requests: 1 },
    ],
    routes: [
      { route: 'GET /v1/models', outcome: 'served', requests: 4 },
      { route: 'GET /v1/voices/:voice_id', outcome: 'scope', requests: 1 },
    ],
  });
});

it('every gate that refuses is recorded with its reason, which the caller does not receive', async () => {
  const key = await stack.issueKey({ permissions: ['voices_read'], allowedIps: [OFFICE] });
  expect([await call(key, { from: '192.0.2.1' }), await call(key)]).toEqual([403, 403]);
  const manager = await StaffClient.signedIn(stack, 'account_manager');
  await manager.post(`/admin/api-keys/${key.keyId}/disable`, DISABLE, { 'if-match': '*' });
  expect(await call(key)).toBe(401);
  await expectShown(key, 'refusals', {
    items: [
      { gate: 'state', reason: 'disabled', status: 401, address: OFFICE, route: 'GET /v1/models' },
      { gate: 'scope', reason: 'permission_missing', status: 403 },
      { gate: 'ip', reason: 'address_not_listed', status: 403, address: '192.0.2.1' },
    ],
  });
});

it('a request that is refused for its content does not count as a refusal of the key', async () => {
  const key = await stack.issueKey();
  await call(key, { path: '/v1/voices/none' });
  await expectShown(key, 'traffic', { routes: [{ outcome: 'rejected', requests: 1 }] });
  await expectShown(key, 'refusals', { items: [] });
});

it('a request without a known key, and a request of staff, are not counted as traffic of a key', async () => {
  await stack.request('GET', '/v1/models');
  await stack.request('GET', '/v1/models', { secret: 'nonsense' });
  await support.get('/admin/auth/me');
  const key = await stack.issueKey();
  await call(key);
  await expectShown(key, 'traffic', { addresses: [{ requests: 1 }] });
  const rows = await stack.dataSource.query<{ route: string }[]>(
    `SELECT route FROM observed_traffic WHERE key_id NOT IN (SELECT id FROM api_key) OR route !~ '^GET /v1/'`,
  );
  expect(rows).toEqual([]);
});

it('each secret remembers when it was last let in, and from where', async () => {
  const key = await stack.issueKey({ allowedIps: [OFFICE] });
  await call(key);
  await call(key, { from: '192.0.2.1' });
  await expectShown(key, 'refusals', { items: [{ gate: 'ip' }] });
  const uses = await stack.dataSource.query<{ at: Date; address: string }[]>(
    `SELECT last_used_at AS at, last_used_address AS address FROM api_key_secret WHERE key_id = $1
     UNION ALL SELECT last_used_at, last_used_address FROM api_key_use WHERE key_id = $1`,
    [key.keyId],
  );
  expect(uses.map(({ address }) => address)).toEqual([OFFICE, OFFICE]);
  for (const { at } of uses) expect(Math.abs(Date.now() - at.getTime())).toBeLessThan(60_000);
});

it('a list of keys has the days on which each was used, and when its credits began', async () => {
  const key = await stack.issueKey();
  await stack.issueKey({ accountId: key.accountId, name: 'never used' });
  await call(key);
  await expectShown(key, 'traffic', { addresses: [{ requests: 1 }] });
  await stack.asOwner(
    `INSERT INTO observed_traffic
     SELECT key_id, hour - d.days * interval '24 hours', route, address, 'ip', requests, first_at, last_at
     FROM observed_traffic, (VALUES (13), (14)) d (days) WHERE key_id = $1`,
    [key.keyId],
  );
  const { body } = await support.get(`/admin/accounts/${key.accountId}/api-keys?sort=created_at`);
  const [used, unused] = body.items as { days_in_use: boolean[]; credits: { period_start: string } }[];
  expect(used!.days_in_use).toEqual([true, ...Array<boolean>(12).fill(false), true]);
  expect(unused!.days_in_use).toEqual(Array<boolean>(14).fill(false));
  expect(Math.abs(Date.parse(used!.credits.period_start) - Date.now())).toBeLessThan(60_000);
});

it('the requests of an account are those of all its keys, by day and outcome', async () => {
  const key = await stack.issueKey({ permissions: ['models_read'] });
  const other = await stack.issueKey({ accountId: key.accountId, allowedIps: ['192.0.2.1'] });
  await call(await stack.issueKey());
  for (const used of [key, key, other]) await call(used);
  await call(key, { path: '/v1/voices/none' });
  await recorder.flush();
  await stack.asOwner(
    `UPDATE observed_traffic SET hour = hour - interval '1 day' WHERE key_id = $1 AND outcome = 'scope'`,
    [key.keyId],
  );
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  await eventually(async () => {
    await recorder.flush();
    const { status, body } = await support.get(`/admin/accounts/${key.accountId}/traffic?days=2`);
    expect([status, body]).toEqual([
      200,
      {
        from: day(1),
        to: day(0),
        items: [
          { day: day(1), outcome: 'scope', requests: 1 },
          { day: day(0), outcome: 'ip', requests: 1 },
          { day: day(0), outcome: 'served', requests: 2 },
        ],
      },
    ]);
  });
  const today = await support.get(`/admin/accounts/${key.accountId}/traffic?days=1`);
  expect(today.body).toMatchObject({ from: day(0), items: [{ outcome: 'ip' }, { outcome: 'served' }] });
  expect((await support.get(`/admin/accounts/${key.keyId}/traffic`)).status).toBe(404);
  expect((await support.get(`/admin/accounts/${key.accountId}/traffic?days=31`)).status).toBe(422);
});

it('what cannot be stored now is stored later', async () => {
  const key = await stack.issueKey();
  await stack.asOwner('ALTER TABLE observed_traffic RENAME TO elsewhere');
  await call(key);
  await eventually(async () => {
    await recorder.flush();
    expect(recorder['failing']).toBe(true);
  });
  await stack.asOwner('ALTER TABLE elsewhere RENAME TO observed_traffic');
  await call(key);
  await expectShown(key, 'traffic', { addresses: [{ address: OFFICE, requests: 2 }] });
});

it('a refusal has what the request would have cost, where that was known, and the limit that it exceeds', async () => {
  const key = await stack.issueKey({ creditLimit: 10 });
  const speech = { voice_description: 'A calm, warm woman in her forties.', text: 'Quiet. '.repeat(20) };
  const design = { secret: key.secret, body: speech, headers: { 'x-forwarded-for': OFFICE } };
  expect((await stack.request('POST', '/v1/text-to-voice/design', design)).status).toBe(402);
  const headers = { authorization: `Bearer ${await issueServiceCredential(stack.api)}` };
  const introspect = async (query: object) => {
    const body = { token: key.secret, scope: 'models_read', address: OFFICE, ...query };
    return (await stack.request('POST', '/introspect', { body, headers })).body;
  };
  expect(await introspect({ cost: 12 })).toMatchObject({ active: false, gate: 'credits' });
  const admin = await StaffClient.signedIn(stack, 'admin');
  const budget = { name: 'a day', window: 'day', amount: 5, key_id: key.keyId, reason: 'A test' };
  const created = await admin.post(`/admin/accounts/${key.accountId}/budgets`, budget);
  expect(created.status).toBe(201);
  expect(await introspect({ cost: 7 })).toMatchObject({ active: false, gate: 'credits' });
  await admin.post(`/admin/api-keys/${key.keyId}/disable`, DISABLE, { 'if-match': '*' });
  expect(await introspect({ cost: 3 })).toMatchObject({ active: false, gate: 'state' });
  expect(await call(key)).toBe(401);
  await expectShown(key, 'refusals', {
    items: [
      { gate: 'state', cost: null },
      { gate: 'state', cost: 3 },
      { gate: 'credits', reason: 'budget_spent', cost: 7 },
      { gate: 'credits', reason: 'insufficient_credits', cost: 12 },
      { gate: 'credits', reason: 'insufficient_credits', cost: 140, route: 'POST /v1/text-to-voice/design' },
    ],
  });
  const { body } = await support.get(`/admin/api-keys/${key.keyId}/refusals`);
  const { request_id: id } = (body.items as { request_id: string }[]).at(-1)!;
  const found = await support.get(`/admin/search?q=${id}`);
  expect(found.body.items).toMatchObject([{ kind: 'request', credits: 140, detail: OFFICE }]);
});

describe('404 and 422', () => {
  it.each(['00000000-0000-4000-8000-000000000000', 'nonsense'])('no key %s', async (keyId) => {
    for (const what of ['traffic', 'refusals']) {
      expect((await support.get(`/admin/api-keys/${keyId}/${what}`)).status).toBe(404);
    }
  });

  it.each(['0', '31', '1.5', 'week'])('days=%s', async (days) => {
    const { keyId } = await stack.issueKey();
    const { status, body } = await support.get(`/admin/api-keys/${keyId}/traffic?days=${days}`);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { parameter: 'days', given: days, accepted: 'a whole number from 1 to 30' },
    ]);
  });
});
