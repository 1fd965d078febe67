import type { SearchHitResponse } from '../../apps/api/src/search/search.dto';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { STAFF_ROLES, type StaffRole } from '../../libs/domain/staff/staff-permissions';
import { AGENCY, callFrom, flushTraffic, furnish, OFFICE, type World } from '../support/console-world';
import { designPreviews } from '../support/previews';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { storeVoice } from '../support/stored-voices';

let stack: Stack;
let world: World;
let previewId: string;
let voiceId: string;
let refusedRequest: string;
const clients = {} as Record<StaffRole, StaffClient>;

beforeAll(async () => {
  stack = await Stack.start({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  for (const role of STAFF_ROLES) clients[role] = await StaffClient.signedIn(stack, role);
  world = await furnish(stack);
  voiceId = await storeVoice(stack, { accountId: world.accountId, name: 'Harbour narrator' });
  previewId = (await designPreviews(stack, world))[0]!;
  const list = { entries: [{ address: '203.0.113.0/24' }], reason: 'Ticket 4711', confirm: true };
  const any = { 'if-match': '*' };
  await world.manager.send('PUT', `/admin/api-keys/${world.keyId}/allowed-ips`, list, any);
  expect(await callFrom(stack, world, AGENCY)).toBe(403);
  await flushTraffic(stack);
  [{ request_id: refusedRequest }] = await stack.dataSource.query('SELECT request_id FROM key_refusal');
});

afterAll(async () => {
  await stack.stop();
});

async function search(role: StaffRole, q: string): Promise<SearchHitResponse[]> {
  const { status, body } = await clients[role].get(`/admin/search?q=${encodeURIComponent(q)}`);
  expect(status).toBe(200);
  return body.items as SearchHitResponse[];
}

const kinds = async (role: StaffRole, q: string) => (await search(role, q)).map(({ kind }) => kind);

describe('200', () => {
  const CUSTOMER_FACING = ['admin', 'account_manager', 'support'];
  it.each<[string, () => string, string, string[]]>([
    ['an account by its name', () => 'northwind', 'account', CUSTOMER_FACING],
    ['an account by its id', () => world.accountId, 'account', CUSTOMER_FACING],
    ['a key by a part of its name', () => 'text to voice', 'key', CUSTOMER_FACING],
    ['a key by its id', () => world.keyId.toUpperCase(), 'key', CUSTOMER_FACING],
    ['a key by its last four', () => world.secret.slice(-4), 'key', CUSTOMER_FACING],
    ['a key as staff see its last four', () => `grk_…${world.secret.slice(-4)}`, 'key', CUSTOMER_FACING],
    ['a voice by its name', () => 'narrator', 'voice', CUSTOMER_FACING],
    ['a voice by its id', () => voiceId, 'voice', CUSTOMER_FACING],
    ['a preview', () => previewId, 'preview', CUSTOMER_FACING],
    ['a refused request', () => refusedRequest, 'request', CUSTOMER_FACING],
    ['an address', () => OFFICE, 'address', CUSTOMER_FACING],
    ['a member of staff', () => clients.ops.person.email, 'staff', ['admin']],
  ])('finds %s, for the roles that may read it', async (_what, q, kind, roles) => {
    for (const role of STAFF_ROLES)
      expect([role, (await kinds(role, q())).includes(kind as never)]).toEqual([role, roles.includes(role)]);
  });

  it('says whose a key is, how it ends, and whether it works', async () => {
    const [key] = (await search('support', world.keyId)).filter(({ kind }) => kind === 'key');
    expect(key).toMatchObject({
      id: world.keyId,
      key_id: world.keyId,
      detail: `grk_…${world.secret.slice(-4)}`,
      status: 'enabled',
      account: { id: world.accountId, name: 'Northwind Audio' },
    });
  });

  it('says what became of a request: refused, charged, and what it created', async () => {
    const [refused] = await search('support', refusedRequest);
    expect(refused).toMatchObject({
      name: 'GET /v1/models',
      detail: AGENCY,
      key_id: world.keyId,
      status: expect.stringMatching(/^refused with 403: /),
    });
    const { keyId, accountId } = world;
    const requestId = 'f'.repeat(32);
    const charge = { keyId, accountId, cost: 120, operation: 'text_to_voice_design', requestId };
    await stack.api.get(CreditLedger).charge(charge);
    expect(await search('support', requestId)).toMatchObject([
      { kind: 'request', name: 'text_to_voice_design', credits: 120, status: 'charge' },
    ]);
    const [{ request_id: created }] = await stack.dataSource.query(
      'SELECT request_id FROM voice WHERE id = $1',
      [voiceId],
    );
    expect(await search('support', created)).toMatchObject([{ kind: 'voice', id: voiceId }]);
  });

  it('says how long a request took that was let in and could change something, and which response it got', async () => {
    const began = Date.now();
    const body = { voice_description: 'too short', text: 'short' };
    const { headers, status } = await stack.request('POST', '/v1/text-to-voice/design', {
      secret: world.secret,
      headers: { 'x-forwarded-for': OFFICE },
      body,
    });
    expect(status).toBe(422);
    const took = Date.now() - began;
    const office = { 'x-forwarded-for': OFFICE };
    const reading = await stack.request('GET', '/v1/models', { secret: world.secret, headers: office });
    expect(reading.status).toBe(200);
    await flushTraffic(stack);
    const [hit, ...others] = await search('support', String(headers.get('x-request-id')));
    expect(others).toEqual([]);
    expect(hit).toMatchObject({
      kind: 'request',
      name: 'POST /v1/text-to-voice/design',
      detail: OFFICE,
      status: 'let in, response 422',
      key_id: world.keyId,
      credits: null,
    });
    expect(hit!.duration_ms).toBeGreaterThanOrEqual(0);
    expect(hit!.duration_ms).toBeLessThanOrEqual(took + 1);
    expect(await search('support', String(reading.headers.get('x-request-id')))).toEqual([]);
  });

  it('finds the keys that an address uses, and those whose list has a block with it', async () => {
    const hits = await search('support', OFFICE);
    expect(hits.map(({ status }) => status).sort()).toEqual(['on the allow-list', 'used from here']);
    expect(await search('support', '203.0.113.99')).toMatchObject([
      { key_id: world.keyId, status: 'on the allow-list' },
    ]);
    expect(await search('support', '192.0.2.1')).toEqual([]);
  });

  it('finds events of the audit log by their request, as far as the role sees the log', async () => {
    const [event] = await stack.dataSource.query<{ request_id: string }[]>(
      `SELECT request_id FROM audit_event WHERE action LIKE '%ip_list%' OR target_id = $1 ORDER BY id DESC LIMIT 1`,
      [world.keyId],
    );
    expect(await search('admin', event!.request_id)).toMatchObject([
      { kind: 'request', status: 'audit log', target_id: world.keyId },
    ]);
    expect(await search('support', event!.request_id)).toEqual([]);
  });

  it('shows a few of each kind, the newest first, and those that were named exactly before all others', async () => {
    const { accountId } = world;
    for (let made = 0; made < 7; made++) await stack.issueKey({ accountId, name: `nightly ${made}` });
    expect((await search('admin', 'nightly')).map(({ name }) => name)).toEqual(
      [6, 5, 4, 3, 2].map((made) => `nightly ${made}`),
    );
    const named = await stack.issueKey({ accountId, name: world.secret.slice(-4) });
    const keys = (await search('admin', world.secret.slice(-4))).filter(({ kind }) => kind === 'key');
    expect(keys.map(({ id }) => id)).toEqual([world.keyId, named.keyId]);
  });

  it.each([
    ['missing', 'nortwind'],
    ['too many', 'northwwind'],
    ['wrong', 'NORTHWUND'],
    ['swapped with the next', 'nrothwind audio'],
    ['with an accent that the name has not', 'nörtwind'],
    ['missing of a key’s name', 'text to vioce'],
    ['wrong of a voice’s name', 'harbeur narrator'],
  ])('finds the nearest names by one letter %s, when nothing is called that: %s', async (_what, typed) => {
    for (const role of CUSTOMER_FACING) {
      const { body } = await clients[role as StaffRole].get(`/admin/search?q=${encodeURIComponent(typed)}`);
      expect(body.nearest).toBe(true);
      const items = body.items as SearchHitResponse[];
      expect(items.map(({ name }) => name)).toContainEqual(
        expect.stringMatching(/Northwind Audio|Text to voice|Harbour narrator/i),
      );
    }
    expect(await search('ops', typed)).toEqual([]);
  });

  it('finds no nearest names beside something that is called that, by a short text or by what no name resembles', async () => {
    for (const typed of ['northwind', 'nor', 'zzzzyyyy', '%%%%', '____', '203.0.113.200']) {
      const { body } = await clients.admin.get(`/admin/search?q=${encodeURIComponent(typed)}`);
      expect([typed, body.nearest]).toEqual([typed, false]);
    }
    const near = await stack.issueKey({ name: 'Ünïque_ %name' });
    expect(await search('admin', 'uniqe_ %name')).toMatchObject([{ id: near.keyId }]);
  });

  it('does not find what is deleted, takes a pattern for text, and responds to nothing found with an empty list', async () => {
    const { keyId } = await stack.issueKey({ name: 'soon gone' });
    await stack.dataSource.query('UPDATE api_key SET deleted_at = now() WHERE id = $1', [keyId]);
    expect(await search('admin', keyId)).toEqual([]);
    expect(await search('admin', 'soon gone')).toEqual([]);
    expect(await search('admin', '%%%')).toEqual([]);
    expect(await search('ops', 'northwind')).toEqual([]);
  });
});

describe('401', () => {
  it('needs a session', async () => {
    expect((await new StaffClient(stack.baseUrl).get('/admin/search?q=abc')).status).toBe(401);
  });
});

describe('422', () => {
  it('a whole secret is refused and does not come back', async () => {
    const { status, text } = await clients.support.get(`/admin/search?q=${world.secret}`);
    expect(status).toBe(422);
    expect(text).toContain('This is a whole secret: rotate the key');
    expect(text).not.toContain(world.secret);
  });

  it.each(['', 'q=', 'q=a', `q=${'x'.repeat(201)}`, 'q=abc&kind=key'])('%j', async (query) => {
    expect((await clients.support.get(`/admin/search?${query}`)).status).toBe(422);
  });
});
