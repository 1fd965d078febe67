import { randomUUID } from 'node:crypto';
import { ExplainProgramService } from '../../apps/api/src/explain/explain-program.service';
import { RouteTable, type StaffRouteAccess } from '../../apps/api/src/http/route-table';
import {
  accountProofOf,
  isManageable,
  MANAGEABLE_PERMISSIONS,
  type ProvingParam,
} from '../../libs/domain/staff/management-grants';
import { isShort } from '../support/short';
import { Stack, type IssuedKey } from '../support/stack';
import { storeVoice } from '../support/stored-voices';
import { ANY_VERSION, StaffClient, type StaffResponse } from '../support/staff-client';

const stack = Stack.ofFile({
  worker: false,
  env: { APPROVAL_OF_CREDITS_ABOVE: '1000', TRUSTED_PROXIES: '127.0.0.1' },
});
const admin = StaffClient.ofFile(stack, 'admin');

const reason = 'A test requested it';
const PATH = '/admin/management-credentials';
const NOBODY = '00000000-0000-4000-8000-000000000000';
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const NOT_FOUND: Record<ProvingParam, string> = {
  account_id: 'account_not_found',
  key_id: 'api_key_not_found',
  voice_id: 'voice_not_found',
  approval_id: 'approval_not_found',
  change_id: 'bulk_change_not_found',
};

interface Issued {
  id: string;
  secret: string;
  /** Sends what the program sends, and nothing that a browser sends. */
  program: StaffClient;
}

const as = (secret: string, headers: Record<string, string> = {}) =>
  new StaffClient(stack.baseUrl, {
    authorization: `Bearer ${secret}`,
    'sec-fetch-site': 'cross-site',
    origin: 'https://elsewhere.test',
    ...headers,
  });

const bodyOf = (fields: object) => ({
  name: 'sign-up page',
  purpose: 'Opens accounts',
  permissions: MANAGEABLE_PERMISSIONS,
  accounts: 'all',
  allowed_ips: ['127.0.0.1'],
  expires_at: inDays(30),
  requests_per_minute: 10_000,
  reason,
  ...fields,
});

async function issue(fields: object = {}, by = admin): Promise<Issued> {
  const { status, body } = await by.post(PATH, bodyOf(fields));
  expect({ status, body }).toMatchObject({ status: 201, body: { secret: expect.stringMatching(/^grm_/) } });
  return { id: String(body.id), secret: String(body.secret), program: as(String(body.secret)) };
}

const explaining = () => stack.api.get(ExplainProgramService);

const outcome = ({ status, body }: StaffResponse) => [status, body.code ?? null];

/** Gives every key that matches a tag; the id of the change. */
async function changeKeys(by: StaffClient, filter: string, count = 1): Promise<string> {
  const edit = { action: 'add_tag', tag: randomUUID().slice(0, 8), reason, confirm: String(count) };
  const { status, body } = await by.post(`/admin/bulk-key-changes?${filter}`, edit);
  expect([status, body.changed]).toEqual([200, count]);
  return String(body.change_id);
}

async function tag(accountId: string, tags: string[]): Promise<void> {
  const { status } = await admin.patch(`/admin/accounts/${accountId}`, { tags, reason }, ANY_VERSION);
  expect(status).toBe(200);
}

describe('every operation of /admin', () => {
  type Route = { method: string; path: string; access: StaffRouteAccess };
  type Bound = 'all' | 'listed' | 'tagged' | 'created';
  const SETS = {
    'what reads accounts': ['accounts.read'],
    keys: ['keys.read', 'keys.write', 'keys.explain'],
    'all that a program may have': MANAGEABLE_PERMISSIONS,
  } as const;
  /** An account with one of each. */
  interface Customer extends IssuedKey {
    voiceId: string;
    approvalId: string;
    changeId: string;
  }
  let own: Customer;
  let foreign: Customer;
  let cells = 0;

  beforeAll(async () => {
    [own, foreign] = [await customer(), await customer()];
    await tag(own.accountId, ['ours']);
  });

  afterAll(() => void process.stdout.write(`matrix: ${cells} cells\n`));

  async function customer(): Promise<Customer> {
    const key = await stack.issueKey();
    const voiceId = await storeVoice(stack, { accountId: key.accountId, enqueue: false });
    const grant = { kind: 'grant', amount: 5_000, reason };
    const waits = await admin.post(`/admin/accounts/${key.accountId}/credits`, grant, ANY_VERSION);
    expect(waits.status).toBe(202);
    const changeId = await changeKeys(admin, `account_id=${key.accountId}`);
    return { ...key, voiceId, approvalId: (waits.body.approval as { id: string }).id, changeId };
  }

  const routes = () =>
    stack.api
      .get(RouteTable)
      .list()
      .filter((route): route is Route => typeof route.access === 'object')
      // It never ends itself.
      .filter(({ path, method }) => path !== '/admin/queues/events' && method !== 'HEAD');

  /** Gets past what admits requests at the most: an empty body, no If-Match. */
  async function knock(program: StaffClient, { method, path }: Route, of: Customer) {
    const url = path
      .replace(':account_id', of.accountId)
      .replace(':key_id', of.keyId)
      .replace(':voice_id', of.voiceId)
      .replace(':approval_id', of.approvalId)
      .replace(':change_id', of.changeId)
      .replace(/:[a-z_]+/g, NOBODY);
    const response = await program.send(method, url, ['GET', 'DELETE'].includes(method) ? undefined : {});
    return { ...response, url };
  }

  function expectedOf(
    { method, path, access }: Route,
    permissions: readonly string[],
    bound: Bound,
    isOwn: boolean,
  ) {
    const { staff } = access;
    if (staff === 'signed_in' || !isManageable(staff)) return 'management_refused_for_people';
    if (!permissions.includes(staff)) return 'management_permission_missing';
    const proof = accountProofOf(method, path);
    if (proof === 'narrowed') return 'admitted';
    if (bound === 'all' || (proof === 'opens_account' && bound === 'created')) return 'admitted';
    if (proof === null || proof === 'opens_account') return 'management_bound_to_accounts';
    if (isOwn) return 'admitted';
    return NOT_FOUND[proof];
  }

  it.each(
    (isShort() ? ['all that a program may have'] : Object.keys(SETS)).flatMap((set) =>
      (['all', 'listed', 'tagged', 'created'] as const).map(
        (bound) => [set as keyof typeof SETS, bound] as const,
      ),
    ),
  )('%s × %s accounts: nothing outside is reached', async (set, bound) => {
    const permissions = SETS[set];
    const { program, id } = await issue({
      permissions,
      accounts: bound,
      ...(bound === 'listed' && { account_ids: [own.accountId] }),
      ...(bound === 'tagged' && { tag: 'ours' }),
    });
    const [expected, found, explained, leaks] = [[], [], [], []] as [string[], string[], string[], string[]];
    const query = { oldSecret: false, address: '127.0.0.1' };
    for (const route of routes()) {
      // What a credential has created is tried below: here it has created nothing.
      for (const [key, isOwn] of bound === 'all'
        ? [[own, true] as const]
        : [[own, bound !== 'created'] as const, [foreign, false] as const]) {
        const name = `${route.method} ${route.path} ${isOwn ? 'own' : 'foreign'}`;
        expected.push(`${name} ${expectedOf(route, permissions, bound, isOwn)}`);
        const { status, body, text, url } = await knock(program, route, key);
        const [code] = [String(body.code)];
        const isRefusal =
          code.startsWith('management_') || (!isOwn && Object.values(NOT_FOUND).includes(code));
        found.push(
          `${name} ${isRefusal ? code : status === 401 || status >= 500 ? String(status) : 'admitted'}`,
        );
        cells += 1;
        const { gates } = await explaining().explain({
          ...query,
          credentialId: id,
          method: route.method,
          path: url,
        });
        explained.push(`${name} ${gates.find((gate) => !gate.passed)?.refusal?.code ?? 'admitted'}`);
        if (bound !== 'all' && isOwn && Object.values(foreign).some((id) => text.includes(id)))
          leaks.push(name);
      }
    }
    expect(found.length).toBeGreaterThan(150);
    expect(found).toEqual(expected);
    expect(explained).toEqual(expected);
    expect(leaks).toEqual([]);
    const [{ events }] = await stack.dataSource.query<[{ events: number }]>(
      `SELECT count(*)::int AS events FROM audit_event WHERE actor_id = $1 AND account_id = $2`,
      [id, foreign.accountId],
    );
    expect(events).toBe(0);
  });

  it('what it has created, and nothing else, is within the bounds of such a credential', async () => {
    const { program } = await issue({ accounts: 'created', name: 'opener' });
    const other = await issue({ accounts: 'created', name: 'other opener' });
    const created = await program.post('/admin/accounts', {
      name: `new ${randomUUID()}`,
      tier: 'creator',
      reason,
    });
    expect(created.status).toBe(201);
    const path = `/admin/accounts/${String(created.body.id)}`;
    const granted = await program.post(
      `${path}/credits`,
      { kind: 'grant', amount: 100, reason },
      ANY_VERSION,
    );
    expect(outcome(granted)).toEqual([200, null]);
    const key = await program.post(`${path}/api-keys`, { name: 'first', permissions: 'all', reason });
    expect(key.status).toBe(201);
    const keyPath = `/admin/api-keys/${String(key.body.id)}`;
    expect((await program.get(keyPath)).status).toBe(200);
    expect(outcome(await other.program.get(path))).toEqual([404, 'account_not_found']);
    expect(outcome(await other.program.get(keyPath))).toEqual([404, 'api_key_not_found']);
  });

  it('a key of another account is not within them in a body either', async () => {
    const { program } = await issue({ accounts: 'listed', account_ids: [own.accountId] });
    const path = `/admin/accounts/${own.accountId}`;
    const before = await admin.get(`/admin/api-keys/${foreign.keyId}`);
    for (const [operation, body] of [
      ['credits', { kind: 'grant', amount: 5, key_id: foreign.keyId }],
      ['alert-rules', { kind: 'low_credits', threshold: 10, key_id: foreign.keyId }],
      ['budgets', { name: 'theirs', limit: 5, window: 'day', key_ids: [foreign.keyId] }],
    ] as const) {
      const { status } = await program.post(`${path}/${operation}`, { ...body, reason }, ANY_VERSION);
      expect([operation, [404, 409, 422].includes(status)]).toEqual([operation, true]);
    }
    expect((await admin.get(`/admin/api-keys/${foreign.keyId}`)).body).toEqual(before.body);
  });

  it('a list of approvals shows those of its accounts only, and counts no others', async () => {
    const { program } = await issue({ accounts: 'listed', account_ids: [own.accountId] });
    const { body } = await program.get('/admin/approvals');
    const ids = (body.items as { id: string }[]).map(({ id }) => id);
    expect([ids, body.total]).toEqual([[own.approvalId], 1]);
    expect((await program.get(`/admin/approvals?account_id=${foreign.accountId}`)).body.total).toBe(0);
    expect((await program.get(`/admin/voices/${own.voiceId}`)).status).toBe(200);
    // What resembles a recording is shown with its account.
    const { status } = await program.get(`/admin/voices/${own.voiceId}/same-recordings`);
    expect(status).toBe(403);
  });

  describe('lists, searches, exports and counts', () => {
    const LISTS = ['/admin/accounts', '/admin/api-keys', '/admin/voices'];
    const ids = ({ body }: StaffResponse) =>
      (body.items as { id?: string; voice_id?: string }[]).map(({ id, voice_id }) => id ?? voice_id).sort();
    let ours: IssuedKey[];
    let theirs: IssuedKey;
    let voices: string[];

    beforeAll(async () => {
      ours = [await stack.issueKey({ name: 'alike' }), await stack.issueKey({ name: 'alike' })];
      theirs = await stack.issueKey({ name: 'alike' });
      for (const { accountId } of ours) await tag(accountId, ['narrow']);
      voices = [];
      for (const { accountId } of [...ours, theirs])
        voices.push(await storeVoice(stack, { accountId, enqueue: false }));
    });

    const bounds = () => [
      ['listed', { account_ids: ours.map(({ accountId }) => accountId) }],
      ['tagged', { tag: 'narrow' }],
    ];

    it.each(['listed', 'tagged'])('show its accounts only (%s), and count no others', async (accounts) => {
      const { program } = await issue({ accounts, ...Object.fromEntries(bounds())[accounts] });
      const [accountIds, keyIds] = [ours.map((key) => key.accountId), ours.map((key) => key.keyId)];
      const expected = [accountIds, keyIds, voices.slice(0, 2)].map((each) => each.toSorted());
      for (const [index, list] of LISTS.entries()) {
        const all = await program.get(list);
        expect([list, all.status, ids(all), all.body.total]).toEqual([list, 200, expected[index], 2]);
        const first = await program.get(`${list}?limit=1`);
        const rest = await program.get(`${list}?limit=1&cursor=${String(first.body.next_cursor)}`);
        expect([...ids(first), ...ids(rest)].sort()).toEqual(expected[index]);
        expect(rest.body.next_cursor).toBeNull();
        // The order of one who sees more does not lead further.
        const { body } = await admin.get(`${list}?limit=1`);
        expect((await program.get(`${list}?limit=1&cursor=${String(body.next_cursor)}`)).status).toBe(400);
      }
      for (const path of [
        `/admin/accounts?search=${theirs.accountId}`,
        `/admin/api-keys?search=${theirs.keyId}`,
        `/admin/api-keys?account_id=${theirs.accountId}`,
        `/admin/api-keys?ids=${theirs.keyId}`,
        `/admin/voices?search=${voices[2]!}`,
        `/admin/voices?account_id=${theirs.accountId}`,
      ]) {
        const { body } = await program.get(path);
        expect([path, body.items, body.total]).toEqual([path, [], 0]);
      }
      const search = await program.get('/admin/api-keys?search=alike');
      expect([ids(search), search.body.total]).toEqual([expected[1], 2]);
      const file = (await program.get('/admin/api-keys/export')).text;
      expect(keyIds.every((id) => file.includes(id))).toBe(true);
      expect([file.includes(theirs.keyId), file.includes(theirs.accountId)]).toEqual([false, false]);
    });

    it.each(['listed', 'tagged'])('change its keys only (%s), and show no other change', async (accounts) => {
      const { id, program } = await issue({ accounts, ...Object.fromEntries(bounds())[accounts] });
      const edit = { action: 'add_tag', tag: `by-${accounts}` };
      const plan = await program.post('/admin/bulk-key-changes/dry-run?search=alike', edit);
      expect([plan.status, plan.body.changes]).toEqual([200, 2]);
      const everything = await program.post('/admin/bulk-key-changes/dry-run', edit);
      expect(everything.status).toBe(422);
      const [common, of] = [
        await changeKeys(admin, 'search=alike', 3),
        await changeKeys(admin, `ids=${theirs.keyId}`),
      ];
      const made = await program.post('/admin/bulk-key-changes?search=alike', {
        ...edit,
        reason,
        confirm: '2',
      });
      expect([made.status, made.body.changed]).toEqual([200, 2]);
      const tagged = await admin.get(`/admin/api-keys?tag=by-${accounts}`);
      expect(ids(tagged)).toEqual(ours.map((key) => key.keyId).toSorted());
      const changeId = String(made.body.change_id);
      const shown = ids(await program.get('/admin/bulk-key-changes'));
      expect([shown.includes(changeId), shown.includes(common), shown.includes(of)]).toEqual([
        true,
        false,
        false,
      ]);
      for (const other of [common, of]) {
        const undone = await program.post(`/admin/bulk-key-changes/${other}/undo`, { reason });
        expect(outcome(undone)).toEqual([404, 'bulk_change_not_found']);
      }
      const undone = await program.post(`/admin/bulk-key-changes/${changeId}/undo`, { reason });
      expect([undone.status, (await admin.get(`/admin/api-keys?tag=by-${accounts}`)).body.total]).toEqual([
        200, 0,
      ]);
      const { body } = await admin.get(`/admin/audit-log?actor_id=${id}`);
      expect((body.items as { action: string }[]).length).toBeGreaterThan(1);
    });

    it('count findings of its keys only', async () => {
      const { program } = await issue({ accounts: 'listed', account_ids: [ours[0]!.accountId] });
      for (const { keyId, accountId } of [...ours, theirs])
        await stack.dataSource.query(
          `INSERT INTO key_finding (key_id, account_id, kind, detail) VALUES ($1, $2, 'never_expires', '{}') ON CONFLICT DO NOTHING`,
          [keyId, accountId],
        );
      await stack.dataSource.query(
        `INSERT INTO key_safety_day (account_id, day, keys, findings, score)
         SELECT id, current_date, 1, 1, 50 FROM account ON CONFLICT DO NOTHING`,
      );
      const counted = async (by: StaffClient) => {
        const { body } = await by.get('/admin/key-safety');
        return (body.cards as { open: number }[]).reduce((sum, { open }) => sum + open, 0);
      };
      expect([await counted(program), (await counted(admin)) >= 3]).toEqual([1, true]);
      const { body } = await program.get('/admin/key-safety/accounts');
      expect([
        (body.items as { account: { id: string } }[]).map(({ account }) => account.id),
        body.total,
      ]).toEqual([[ours[0]!.accountId], 1]);
    });

    it('show one that is bound to what it has created nothing else', async () => {
      const { program } = await issue({ accounts: 'created' });
      const created = await program.post('/admin/accounts', {
        name: `new ${randomUUID()}`,
        tier: 'creator',
        reason,
      });
      expect(ids(await program.get('/admin/accounts'))).toEqual([created.body.id]);
      expect(ids(await program.get('/admin/api-keys'))).toEqual([]);
    });

    it('follow its bounds at once', async () => {
      const { id, program } = await issue({ accounts: 'listed', account_ids: [ours[0]!.accountId] });
      expect(ids(await program.get('/admin/accounts'))).toEqual([ours[0]!.accountId]);
      const edit = { accounts: 'listed', account_ids: [ours[1]!.accountId], reason };
      expect((await admin.patch(`${PATH}/${id}`, edit, ANY_VERSION)).status).toBe(200);
      expect(ids(await program.get('/admin/accounts'))).toEqual([ours[1]!.accountId]);
    });
  });

  it('an account leaves and enters the bounds with its tag, at once', async () => {
    const { program } = await issue({ accounts: 'tagged', tag: 'reseller' });
    const account = await stack.openAccount();
    expect((await program.get(`/admin/accounts/${account}`)).status).toBe(404);
    await tag(account, ['reseller']);
    expect((await program.get(`/admin/accounts/${account}`)).status).toBe(200);
    await tag(account, []);
    expect((await program.get(`/admin/accounts/${account}`)).status).toBe(404);
  });
});

describe('401', () => {
  const refused = [401, 'invalid_management_credential'];

  it('a credential that is disabled, deleted or over, from the next request on', async () => {
    const { id, program, secret } = await issue();
    expect((await program.get('/admin/accounts')).status).toBe(200);
    const { status, body } = await admin.post(`${PATH}/${id}/disable`, { reason }, ANY_VERSION);
    expect([status, body.enabled, body.receipt]).toEqual([200, false, expect.objectContaining({})]);
    expect(outcome(await program.get('/admin/accounts'))).toEqual(refused);
    const deleted = await issue();
    expect((await admin.send('DELETE', `${PATH}/${deleted.id}`, { reason }, ANY_VERSION)).status).toBe(200);
    expect(outcome(await deleted.program.get('/admin/accounts'))).toEqual(refused);
    const over = await issue();
    await stack.dataSource.query(`UPDATE management_credential SET expires_at = now() WHERE id = $1`, [
      over.id,
    ]);
    expect(outcome(await over.program.get('/admin/accounts'))).toEqual(refused);
    const mistyped = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');
    expect(outcome(await as(mistyped).get('/admin/accounts'))).toEqual(refused);
  });

  it('from an address that is not allowed', async () => {
    const { program } = await issue({ allowed_ips: ['192.0.2.0/24'] });
    expect(outcome(await program.get('/admin/accounts'))).toEqual(refused);
  });

  it('its creator may not sign in', async () => {
    const creator = await StaffClient.signedIn(stack, 'admin');
    const { program } = await issue({}, creator);
    const path = `/admin/staff/${creator.person.id}`;
    expect((await admin.patch(path, { disabled: true, reason }, ANY_VERSION)).status).toBe(200);
    expect(outcome(await program.get('/admin/accounts'))).toEqual(refused);
  });

  it('in a cookie, in a query, or on an operation of customers and services', async () => {
    const { secret } = await issue();
    const bare = new StaffClient(stack.baseUrl);
    const cookie = `greenroom.session_token=${secret}`;
    expect(outcome(await bare.get('/admin/accounts', { cookie }))).toEqual([401, 'staff_sign_in_required']);
    expect((await bare.get(`/admin/accounts?credential=${secret}`)).status).toBe(401);
    const headers = { authorization: `Bearer ${secret}`, 'xi-api-key': secret };
    expect((await stack.request('GET', '/v1/user', { headers })).status).toBe(401);
    expect((await stack.request('POST', '/introspect', { headers, body: {} })).status).toBe(401);
  });
});

describe('403', () => {
  it('of what its creator may no longer do, from the next request on', async () => {
    const creator = await StaffClient.signedIn(stack, 'admin');
    const { program } = await issue(
      { permissions: ['alerts.write', 'accounts.read'], name: 'bound' },
      creator,
    );
    const before = await program.post('/admin/alert-rules');
    expect(before.status).toBe(422);
    const path = `/admin/staff/${creator.person.id}`;
    expect((await admin.patch(path, { role: 'support', reason }, ANY_VERSION)).status).toBe(200);
    const after = await program.post('/admin/alert-rules');
    expect([outcome(after), after.body.detail]).toEqual([
      [403, 'management_permission_missing'],
      "The management credential 'bound' may not do this: it needs alerts.write, which it and its creator must both have.",
    ]);
    expect((await program.get('/admin/accounts')).status).toBe(200);
  });

  it('a cookie beside it adds nothing', async () => {
    const { secret } = await issue({ permissions: ['accounts.read'] });
    const both = as(secret, { cookie: admin.cookieHeader });
    expect(outcome(await both.get('/admin/staff'))).toEqual([403, 'management_refused_for_people']);
  });

  it('only its creator rotates it', async () => {
    const { id } = await issue();
    const other = await StaffClient.signedIn(stack, 'admin');
    const rotated = await other.post(`${PATH}/${id}/rotate`, { reason }, ANY_VERSION);
    expect(outcome(rotated)).toEqual([403, 'management_credential_of_another']);
  });
});

describe('explain', () => {
  type Query = [method: string, path: string, address?: string];
  const INSIDE = '127.0.0.1';
  const expired = 'UPDATE management_credential SET expires_at = now() WHERE id = $1';
  const retired = `UPDATE management_credential SET old_digest = digest, digest = md5(id::text), old_until = now() WHERE id = $1`;
  const ACCOUNTS = '/admin/accounts';

  /** What becomes of the request, and what explain says of it: the gate, and what the caller gets. */
  async function both({ id, secret }: Issued, [method, path, address = INSIDE]: Query, oldSecret = false) {
    const body = { address, method, path, ...(oldSecret && { old_secret: true }) };
    const explained = await admin.post(`${PATH}/${id}/explain`, body);
    expect([explained.status, explained.body.code]).toEqual([200, undefined]);
    const gates = explained.body.gates as {
      gate: string;
      passed: boolean;
      refusal: { code: string; status: number } | null;
    }[];
    const decides = gates.find(({ passed }) => !passed);
    const program = as(secret, address === INSIDE ? {} : { 'x-forwarded-for': address });
    const real = await program.send(method, path, method === 'GET' ? undefined : {});
    const said = decides?.refusal ?? { status: real.status, code: null };
    expect(explained.body.decided_by).toBe(decides?.gate ?? null);
    const code = (real.body.detail as { code?: string } | null)?.code ?? real.body.code ?? null;
    return {
      gate: decides?.gate ?? null,
      said: [said.status, said.code],
      real: [real.status, real.status < 300 || real.status === 422 ? null : code],
    };
  }

  const CASES: [gate: string | null, what: string, fields: object, query: Query, sql?: string][] = [
    [null, 'what it may', {}, ['GET', ACCOUNTS]],
    [null, 'an operation that needs nothing', {}, ['GET', '/healthz']],
    [null, 'a list of a bounded one', { accounts: 'created' }, ['GET', `${ACCOUNTS}?limit=1`]],
    [null, 'the opening of an account by one that creates', { accounts: 'created' }, ['POST', ACCOUNTS]],
    ['route', 'a path that is not served', {}, ['GET', '/admin/nothing']],
    ['route', 'a method that is not served', {}, ['DELETE', ACCOUNTS]],
    ['route', 'broken escapes', {}, ['GET', '/admin/accounts/%zz']],
    ['route', 'a part that is too long', {}, ['GET', `${ACCOUNTS}/${'x'.repeat(201)}`]],
    ['route', 'what is for keys', {}, ['GET', '/v1/models']],
    ['route', 'what is for services', {}, ['POST', '/introspect']],
    ['state', 'one that is over', {}, ['GET', ACCOUNTS], expired],
    [
      'state',
      'one that is disabled',
      {},
      ['GET', ACCOUNTS],
      'UPDATE management_credential SET disabled_at = now() WHERE id = $1',
    ],
    ['ip', 'another address', {}, ['GET', ACCOUNTS, '203.0.113.9']],
    [
      null,
      'another address, which every one is',
      { allowed_ips: [], confirm_any_address: true },
      ['GET', ACCOUNTS, '203.0.113.9'],
    ],
    ['scope', 'a permission that it has not', { permissions: ['keys.read'] }, ['GET', ACCOUNTS]],
    ['scope', 'what only people may do', {}, ['GET', '/admin/staff']],
    ['scope', 'what needs a session', {}, ['GET', '/admin/search?q=abc']],
    ['accounts', 'an account outside its bounds', { accounts: 'created' }, ['GET', `${ACCOUNTS}/${NOBODY}`]],
    ['accounts', 'the same with escapes', { accounts: 'created' }, ['GET', `${ACCOUNTS}/%61bc`]],
    ['accounts', 'a key outside its bounds', { accounts: 'created' }, ['GET', `/admin/api-keys/${NOBODY}`]],
    ['accounts', 'a voice outside its bounds', { accounts: 'created' }, ['GET', '/admin/voices/none']],
    ['accounts', 'a voice id with a NUL', { accounts: 'created' }, ['GET', '/admin/voices/%00']],
    [
      'accounts',
      'an operation that names no account',
      { accounts: 'created' },
      ['GET', '/admin/alert-rules'],
    ],
    [
      'accounts',
      'the opening of an account by a tagged one',
      { accounts: 'tagged', tag: 'x' },
      ['POST', ACCOUNTS],
    ],
  ];

  // Each with every argument: one that is left out would be a callback.
  it.each(CASES.map(([gate, what, fields, query, sql]) => [gate, what, fields, query, sql ?? null] as const))(
    'says the gate %s of %s, and the response is the same',
    async (gate, _, fields, query, sql) => {
      const issued = await issue(fields);
      if (sql) await stack.dataSource.query(sql, [issued.id]);
      const { said, real, ...found } = await both(issued, query);
      expect([found.gate, said]).toEqual([gate, real]);
    },
  );

  it('of a secret that a rotation has replaced', async () => {
    const issued = await issue();
    const refused = await admin.post(`${PATH}/${issued.id}/explain`, {
      address: INSIDE,
      method: 'GET',
      path: ACCOUNTS,
      old_secret: true,
    });
    expect(refused.body.errors).toEqual([expect.objectContaining({ pointer: '#/old_secret' })]);
    await stack.dataSource.query(retired, [issued.id]);
    const { gate, said, real } = await both(issued, ['GET', ACCOUNTS], true);
    expect([gate, said]).toEqual(['state', real]);
  });

  it('of a creator who may do less, or may not sign in', async () => {
    const creator = await StaffClient.signedIn(stack, 'admin');
    const issued = await issue({}, creator);
    const path = `/admin/staff/${creator.person.id}`;
    const query: Query = ['POST', '/admin/alert-rules'];
    expect(await both(issued, query)).toMatchObject({ gate: null });
    await admin.patch(path, { role: 'support', reason }, ANY_VERSION);
    const lowered = await both(issued, query);
    expect([lowered.gate, lowered.said]).toEqual(['scope', lowered.real]);
    await admin.patch(path, { disabled: true, reason }, ANY_VERSION);
    const ended = await both(issued, query);
    expect([ended.gate, ended.said]).toEqual(['state', ended.real]);
  });

  it('of requests of a minute, which it counts none of', async () => {
    const issued = await issue({ requests_per_minute: 2 });
    const found = [];
    for (let request = 0; request < 3; request += 1) found.push(await both(issued, ['GET', ACCOUNTS]));
    expect(found.map(({ gate }) => gate)).toEqual([null, null, 'limit']);
    expect(found.map(({ said }) => said)).toEqual(found.map(({ real }) => real));
  });

  it('is for those who read management credentials', async () => {
    const { id, program } = await issue();
    const body = { address: INSIDE, method: 'GET', path: ACCOUNTS };
    const support = await StaffClient.signedIn(stack, 'support');
    const path = `${PATH}/${id}/explain`;
    expect(outcome(await support.post(path, body))).toEqual([403, 'staff_permission_missing']);
    expect(outcome(await program.post(path, body))).toEqual([403, 'management_refused_for_people']);
    expect(outcome(await admin.post(`${PATH}/${NOBODY}/explain`, body))).toEqual([
      404,
      'management_credential_not_found',
    ]);
  });

  it('finds a credential by its name, or the last four of its secret', async () => {
    const { id, secret } = await issue({ name: 'findable job' });
    for (const typed of ['findable', secret.slice(-4), id]) {
      const { body } = await admin.get(`/admin/search?q=${typed}`);
      expect(body.items).toContainEqual(expect.objectContaining({ kind: 'program', id }));
    }
    const support = await StaffClient.signedIn(stack, 'support');
    expect((await support.get('/admin/search?q=findable')).body.items).toEqual([]);
  });
});

describe('what a program does', () => {
  it('stands in the audit log under its own name, with its reason', async () => {
    const { id, program } = await issue({ name: 'billing job' });
    const account = await stack.openAccount();
    expect(outcome(await program.post(`/admin/accounts/${account}/suspend`, {}, ANY_VERSION))[0]).toBe(422);
    expect(outcome(await program.post(`/admin/accounts/${account}/suspend`, { reason }))[0]).toBe(428);
    expect((await program.post(`/admin/accounts/${account}/suspend`, { reason }, ANY_VERSION)).status).toBe(
      200,
    );
    const { body } = await admin.get(`/admin/audit-log?actor_id=${id}`);
    expect(body.items).toEqual([
      expect.objectContaining({
        action: 'account.suspended',
        actor: { kind: 'management', id, name: 'management billing job', role: null },
        address: '127.0.0.1',
        reason,
      }),
    ]);
    const { body: listed } = await admin.get(`${PATH}/${id}`);
    expect(listed).toMatchObject({ last_used_address: '127.0.0.1', last_used_at: expect.any(String) });
    expect(
      await stack.asOwner('SELECT 1 FROM audit_event e WHERE e::text LIKE $1', ['%grm\\_%____%%']),
    ).toEqual(await stack.asOwner(`SELECT 1 FROM audit_event e WHERE e::text LIKE '%grm\\_…%'`));
  });

  it('is done once with an Idempotency-Key', async () => {
    const { program } = await issue();
    const body = { name: `once ${randomUUID()}`, tier: 'creator', reason };
    const headers = { 'idempotency-key': randomUUID() };
    const first = await program.post('/admin/accounts', body, headers);
    const second = await program.post('/admin/accounts', body, headers);
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
  });

  it('waits for a second person, who is not its creator; then it is in its name', async () => {
    const { id, program } = await issue({ name: 'granter' });
    const account = await stack.openAccount();
    const asked = await program.post(
      `/admin/accounts/${account}/credits`,
      { kind: 'grant', amount: 5_000, reason },
      ANY_VERSION,
    );
    expect(asked.status).toBe(202);
    const approval = asked.body.approval as { id: string };
    expect(approval).toMatchObject({ is_own: true, may_decide: false, requested_by: 'management granter' });
    const approve = (staff: StaffClient) => staff.post(`/admin/approvals/${approval.id}/approve`);
    expect(outcome(await approve(program))).toEqual([403, 'management_refused_for_people']);
    expect((await approve(admin)).body.code).toBe('own_approval');
    const second = await StaffClient.signedIn(stack, 'admin');
    expect(outcome(await approve(second))).toEqual([200, null]);
    const { body } = await admin.get(`/admin/audit-log?target=${account}&action=credits.grant`);
    expect((body.items as { actor: object }[])[0]!.actor).toMatchObject({ kind: 'management', id });
  });

  it('is not done any more when the credential ends before its approval', async () => {
    const { id, program } = await issue({ name: 'gone' });
    const account = await stack.openAccount();
    const asked = await program.post(
      `/admin/accounts/${account}/credits`,
      { kind: 'grant', amount: 5_000, reason },
      ANY_VERSION,
    );
    await admin.post(`${PATH}/${id}/disable`, { reason }, ANY_VERSION);
    const second = await StaffClient.signedIn(stack, 'admin');
    const approved = await second.post(
      `/admin/approvals/${(asked.body.approval as { id: string }).id}/approve`,
    );
    expect(approved.body.code).toBe('approval_requester_gone');
  });

  it('is limited a minute', async () => {
    const { program } = await issue({ requests_per_minute: 2 });
    const statuses = [];
    for (let request = 0; request < 3; request += 1)
      statuses.push((await program.get('/admin/accounts')).status);
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('a credential', () => {
  it('is rotated with an overlap; without one the old secret stops at once', async () => {
    const { id, program } = await issue();
    const rotated = await admin.post(`${PATH}/${id}/rotate`, { overlap_days: 1, reason }, ANY_VERSION);
    const next = as(String(rotated.body.secret));
    expect([
      (await program.get('/admin/accounts')).status,
      (await next.get('/admin/accounts')).status,
    ]).toEqual([200, 200]);
    await admin.post(`${PATH}/${id}/rotate`, { overlap_days: 0, reason }, ANY_VERSION);
    expect([
      (await program.get('/admin/accounts')).status,
      (await next.get('/admin/accounts')).status,
    ]).toEqual([401, 401]);
  });

  it('is edited from a version, which holds from the next request on', async () => {
    const { id, program } = await issue();
    const account = await stack.openAccount();
    const edit = { accounts: 'listed', account_ids: [account], reason };
    expect((await admin.patch(`${PATH}/${id}`, edit)).status).toBe(428);
    expect((await admin.patch(`${PATH}/${id}`, edit, { 'if-match': '"v9"' })).status).toBe(412);
    const edited = await admin.patch(`${PATH}/${id}`, edit, { 'if-match': '"v1"' });
    expect(edited.body).toMatchObject({ accounts: 'listed', account_ids: [account], version: 2 });
    expect((await program.get('/admin/alert-rules')).status).toBe(403);
    expect((await program.get(`/admin/accounts/${account}`)).status).toBe(200);
    const { body } = await admin.get(PATH);
    expect((body.items as { id: string }[]).map((each) => each.id)).toContain(id);
  });

  it.each([
    ['permissions', { permissions: ['staff.write'] }],
    ['permissions', { permissions: ['approvals.decide'] }],
    ['account_ids', { accounts: 'listed' }],
    ['tag', { accounts: 'tagged' }],
    ['allowed_ips', { allowed_ips: [] }],
    ['allowed_ips', { allowed_ips: ['0.0.0.0/0'] }],
    ['expires_at', { expires_at: inDays(400) }],
    ['expires_at', { expires_at: undefined }],
    ['purpose', { purpose: '' }],
    ['requests_per_minute', { requests_per_minute: 0 }],
  ])('names %s when it refuses %j', async (field, fields) => {
    const { status, body } = await admin.post(PATH, bodyOf(fields));
    const pointers = (body.errors as { pointer: string }[]).map(({ pointer }) => pointer.split('/')[1]);
    expect([status, pointers]).toEqual([422, [field]]);
  });

  it('is created by an admin alone, after a confirmation', async () => {
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    expect(outcome(await manager.post(PATH, bodyOf({})))).toEqual([403, 'staff_permission_missing']);
  });
});
