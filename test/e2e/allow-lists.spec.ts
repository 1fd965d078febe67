import { TrafficRecorder } from '../../apps/api/src/observed-traffic/traffic-recorder';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { eventually } from '../support/eventually';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';

const OFFICE = '203.0.113.10';
const AGENCY = '198.51.100.7';

let stack: Stack;
let manager: StaffClient;
let support: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  manager = await StaffClient.signedIn(stack, 'account_manager');
  support = await StaffClient.signedIn(stack, 'support');
});

afterAll(async () => {
  await stack.stop();
});

/** A key of an enterprise account that may have lists. */
async function entitledKey(options: Parameters<Stack['issueKey']>[0] = {}): Promise<IssuedKey> {
  const key = await stack.issueKey({ tier: 'enterprise', ...options });
  await entitle(key, true);
  return key;
}

async function entitle({ accountId }: IssuedKey, enabled: boolean): Promise<void> {
  const path = `/admin/accounts/${accountId}/ip-allow-list-entitlement`;
  const { status } = await manager.send('PUT', path, { enabled, reason: 'A test' }, { 'if-match': '*' });
  expect(status).toBe(200);
}

/** A request of the customer's, from an address. */
async function callFrom(address: string, { secret }: IssuedKey): Promise<number> {
  const headers = { 'x-forwarded-for': address };
  return (await stack.request('GET', '/v1/models', { secret, headers })).status;
}

async function callTimes(times: number, address: string, key: IssuedKey): Promise<void> {
  for (let i = 0; i < times; i++) await callFrom(address, key);
}

/** Stores what has been recorded so far. */
const flush = () => stack.api.get(TrafficRecorder).flush();

const pathOf = ({ keyId }: IssuedKey, action = '') => `/admin/api-keys/${keyId}/allowed-ips${action}`;

const put = (key: IssuedKey, body: object, ifMatch = '*', by = manager): Promise<StaffResponse> =>
  by.send('PUT', pathOf(key), { reason: 'Ticket 4711', ...body }, { 'if-match': ifMatch });

/** Looking at a draft changes nothing and wants no reason. */
const act = (key: IssuedKey, action: string, body: object = {}, by = manager): Promise<StaffResponse> => {
  const why = ['check', 'dry-run', 'suggest'].includes(action) ? {} : { reason: 'Ticket 4711' };
  return by.post(pathOf(key, `/${action}`), { ...why, ...body }, { 'if-match': '*' });
};

const entriesOf = (response: StaffResponse) =>
  (response.body.entries as { cidr: string }[] | null)?.map(({ cidr }) => cidr) ?? null;

async function eventsOf({
  keyId,
}: IssuedKey): Promise<{ action: string; before: unknown; after: unknown; reason: string }[]> {
  return stack.dataSource.query(
    `SELECT action, before, after, reason FROM audit_event WHERE target_id = $1 AND action LIKE 'key.allow%' ORDER BY id`,
    [keyId],
  );
}

describe('200', () => {
  it('the whole way of a customer: entitled, drafted, corrected, run dry, saved, enforced, undone, and all of it on record', async () => {
    const key = await entitledKey();
    await callTimes(3, OFFICE, key);
    await callTimes(2, AGENCY, key);
    await flush();

    const draft = '203.0.113.10\n203.0.113.010\n203.0.113.5/24 # the office\n::ffff:192.0.2.1, 192.0.2.1';
    const checked = await act(key, 'check', { text: draft });
    expect(checked.body).toMatchObject({
      accepted: false,
      problems: [
        { index: 1, code: 'ambiguous_ipv4', given: '203.0.113.010' },
        { index: 2, code: 'host_bits', suggestion: '203.0.113.0/24' },
      ],
      corrections: [
        { index: 0, code: 'single_address' },
        { index: 3, code: 'ipv4_mapped', suggestion: '192.0.2.1/32' },
        { index: 4 },
      ],
    });

    const corrected = '203.0.113.0/24 # the office\n203.0.113.10\n192.0.2.1';
    const dryRun = await act(key, 'dry-run', { text: corrected });
    expect(dryRun.body).toMatchObject({
      days: 7,
      requests: 5,
      would_refuse: 2,
      undecided: 0,
      would_refuse_addresses: [{ address: AGENCY, requests: 2 }],
    });

    const unconfirmed = await put(key, { text: corrected });
    expect(unconfirmed.status).toBe(409);
    expect(unconfirmed.body).toMatchObject({ code: 'confirmation_required' });
    expect(unconfirmed.body.detail).toContain(
      `would have refused 2 of the requests of the last 7 days, from ${AGENCY} (2, last `,
    );
    expect(await callFrom(AGENCY, key)).toBe(200);

    const saved = await put(key, { text: corrected, confirm: true });
    expect(saved.status).toBe(200);
    expect(saved.body).toMatchObject({
      status: 'enforced',
      entries: [
        { cidr: '192.0.2.1/32', note: null, ended: false },
        { cidr: '203.0.113.0/24', note: 'the office', added_by: manager.person.email },
      ],
      corrections: [
        { index: 1, code: 'single_address' },
        { index: 2, code: 'single_address' },
        { index: 1, code: 'covered', suggestion: '203.0.113.0/24' },
      ],
      receipt: { processes: 1, acknowledged: 1 },
    });
    expect([await callFrom(AGENCY, key), await callFrom(OFFICE, key)]).toEqual([403, 200]);

    const undone = await act(key, 'undo');
    expect(undone.body).toMatchObject({ status: 'no_list', entries: null, receipt: { acknowledged: 1 } });
    expect(await callFrom(AGENCY, key)).toBe(200);
    expect((await eventsOf(key)).map(({ action, reason }) => [action, reason])).toEqual([
      ['key.allow_list_changed', 'Ticket 4711'],
      ['key.allow_list_undone', 'Ticket 4711'],
    ]);
    expect(await stack.api.get(AuditLog).verifyChain()).toMatchObject({ ok: true });
  });

  it('an entry that ends stops matching at that time, without a write', async () => {
    const key = await entitledKey();
    const endsAt = new Date(Date.now() + 1_500).toISOString();
    const entries = [{ address: OFFICE }, { address: AGENCY, note: 'The audit', ends_at: endsAt }];
    const saved = await put(key, { entries });
    expect(saved.body).toMatchObject({
      entries: [
        {
          cidr: `${AGENCY}/32`,
          note: 'The audit',
          ends_at: endsAt,
          ended: false,
          added_by: manager.person.email,
        },
        { cidr: `${OFFICE}/32`, note: null, ends_at: null },
      ],
    });
    expect(await callFrom(AGENCY, key)).toBe(200);
    await eventually(async () => expect(await callFrom(AGENCY, key)).toBe(403), { withinMs: 5_000 });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(endsAt));
    expect(await callFrom(OFFICE, key)).toBe(200);
    const read = await support.get(pathOf(key));
    expect(read.body).toMatchObject({ entries: [{ ended: true }, { ended: false }] });
    expect(read.headers.get('etag')).toBe(saved.headers.get('etag'));
  });

  it('a change that is not kept is reverted automatically', async () => {
    const key = await entitledKey({ allowedIps: [OFFICE] });
    const saved = await put(key, { entries: [{ address: AGENCY }], confirm: true, undo_after_minutes: 10 });
    expect(saved.body).toMatchObject({
      undo: { due_at: expect.any(String), entries: [{ cidr: `${OFFICE}/32` }] },
    });
    expect(await callFrom(OFFICE, key)).toBe(403);
    await stack.dataSource.query('UPDATE key_undo SET due_at = now() WHERE subject_id = $1', [key.keyId]);
    await eventually(async () => expect(await callFrom(OFFICE, key)).toBe(200));
    expect(await callFrom(AGENCY, key)).toBe(403);
    expect((await eventsOf(key)).at(-1)).toMatchObject({
      action: 'key.allow_list_undone',
      reason: 'The change was not kept in time.',
    });
  });

  it('lists whose undo timer runs are listed, the first to be reverted first, until they are kept', async () => {
    const [later, sooner, other] = [await entitledKey(), await entitledKey(), await entitledKey()];
    await stack.asOwner('UPDATE account SET manager_id = $1 WHERE id = ANY ($2)', [
      manager.person.id,
      [later.accountId, sooner.accountId],
    ]);
    for (const [key, minutes] of [
      [later, 20],
      [sooner, 10],
      [other, 5],
    ] as const)
      await put(key, { entries: [{ address: AGENCY }], confirm: true, undo_after_minutes: minutes });
    const timers = async (by: StaffClient, query = '') => {
      const { body } = await by.get(`/admin/allow-list-timers${query}`);
      return [body.total, (body.items as { id: string }[]).map(({ id }) => id)];
    };
    expect(await timers(manager, '?manager=me')).toEqual([2, [sooner.keyId, later.keyId]]);
    expect(await timers(support)).toEqual([3, [other.keyId, sooner.keyId, later.keyId]]);
    const ofAccount = `/admin/accounts/${other.accountId}/allowed-ips`;
    const list = { text: OFFICE, confirm: true, reason: 'A test', undo_after_minutes: 1 };
    await manager.send('PUT', ofAccount, list, { 'if-match': '*' });
    const { body } = await support.get('/admin/allow-list-timers');
    expect((body.items as object[])[0]).toEqual({
      kind: 'account',
      id: other.accountId,
      name: expect.any(String),
      account: { id: other.accountId, name: expect.any(String) },
      changed_by: manager.person.email,
      due_at: expect.any(String),
    });
    for (const key of [later, sooner, other]) await act(key, 'keep');
    await manager.post(`${ofAccount}/keep`, { reason: 'A test' }, { 'if-match': '*' });
    expect(await timers(support)).toEqual([0, []]);
    expect((await support.get('/admin/allow-list-timers?manager=anyone')).status).toBe(422);
  });

  it('a change that is kept stays, and can still be reverted by hand', async () => {
    const key = await entitledKey({ allowedIps: [OFFICE] });
    await put(key, { entries: [{ address: AGENCY }], undo_after_minutes: 1 });
    const stored = await act(key, 'keep');
    expect(stored.body).toMatchObject({ undo: { due_at: null } });
    await stack.dataSource.query(
      'UPDATE key_undo SET due_at = now() WHERE subject_id = $1 AND due_at IS NOT NULL',
      [key.keyId],
    );
    expect((await act(key, 'keep')).status).toBe(409);
    expect(entriesOf(await act(key, 'undo'))).toEqual([`${OFFICE}/32`]);
    expect(entriesOf(await act(key, 'undo'))).toEqual([`${AGENCY}/32`]);
  });

  it('the same list again changes nothing: no version, no event', async () => {
    const key = await entitledKey();
    const first = await put(key, { text: '192.0.2.0/24 # office' });
    const second = await put(key, { text: '192.0.2.0/24' });
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(second.body).toMatchObject({ receipt: null, entries: [{ note: 'office' }] });
    expect(await eventsOf(key)).toHaveLength(1);
  });

  it('a list is suggested from where the key was used, and its own dry run refuses nothing', async () => {
    const key = await entitledKey();
    for (const last of [1, 2, 3]) await callTimes(last, `203.0.113.${last}`, key);
    await callFrom(AGENCY, key);
    await callFrom('2001:db8::1', key);
    await callFrom('2001:db8::2:3', key);
    await flush();
    const suggested = await act(key, 'suggest');
    expect(suggested.body).toMatchObject({
      requests: 9,
      covered: 9,
      entries: [
        { cidr: '203.0.113.0/30', addresses: 3, requests: 6 },
        { cidr: '2001:db8::/64', addresses: 2, requests: 2 },
        { cidr: `${AGENCY}/32`, addresses: 1, requests: 1 },
      ],
    });
    const saved = await put(key, { text: suggested.body.text });
    expect(saved.status).toBe(200);
    expect(saved.body).toMatchObject({ dry_run: { would_refuse: 0, requests: 9 } });
  });

  it('a change that was confirmed is saved although the traffic takes too long to examine', async () => {
    const key = await entitledKey();
    await stack.dataSource.transaction(async (em) => {
      await em.query('LOCK TABLE observed_traffic IN ACCESS EXCLUSIVE MODE');
      const saved = await put(key, { text: OFFICE, confirm: true });
      expect([saved.status, saved.body.dry_run]).toEqual([200, null]);
      const refused = await put(key, { text: 'x', confirm: true });
      expect(refused.status).toBe(422);
    });
  });

  it('a dry run says whom the list would let in who is refused now', async () => {
    const key = await entitledKey({ allowedIps: [OFFICE] });
    await callTimes(4, AGENCY, key);
    await flush();
    expect((await act(key, 'dry-run', { text: `${OFFICE} ${AGENCY}` }, support)).body).toMatchObject({
      requests: 0,
      would_refuse: 0,
      would_let_in: 4,
      would_let_in_addresses: [{ address: AGENCY, requests: 4 }],
    });
  });

  it('an address is looked up in a draft, and a list on the stored one as every address', async () => {
    const key = await entitledKey();
    const lookUp = async (address: string) =>
      (await act(key, 'check', { text: '10.0.0.0/8', address }, support)).body.address;
    expect(await lookUp('10.1.2.3')).toEqual({
      given: '10.1.2.3',
      is_address: true,
      allowed: true,
      entry: '10.0.0.0/8',
    });
    expect(await lookUp('::ffff:10.1.2.3')).toMatchObject({ allowed: true });
    expect(await lookUp('11.1.2.3')).toMatchObject({ is_address: true, allowed: false, entry: null });
    expect(await lookUp('somewhere')).toMatchObject({ is_address: false, allowed: false });
  });
});

describe('403', () => {
  it('a new list needs the tier and the entitlement, and both are named', async () => {
    const small = await stack.issueKey({ tier: 'pro' });
    const refused = await put(small, { text: OFFICE });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: 'feature_not_available' });
    expect(refused.body.detail).toContain('not available on the tier pro');
    const notSwitchedOn = await stack.issueKey({ tier: 'enterprise' });
    expect((await put(notSwitchedOn, { text: OFFICE })).status).toBe(403);
    expect((await support.get(pathOf(small))).body).toMatchObject({
      entitlement: { may_add: false, enabled: false },
    });
  });

  it('without the entitlement a list stays enforced and can be narrowed, not widened', async () => {
    const key = await entitledKey();
    await put(key, { entries: [{ address: '203.0.113.0/24', note: 'office' }, { address: AGENCY }] });
    await entitle(key, false);
    expect([await callFrom('192.0.2.9', key), await callFrom(OFFICE, key)]).toEqual([403, 200]);
    const wider = ['203.0.112.0/23', '192.0.2.9'].map((address) => [{ address }]);
    for (const entries of wider) expect((await put(key, { entries })).status).toBe(403);
    const narrowed = await put(key, { entries: [{ address: OFFICE, note: 'one desk' }], confirm: true });
    expect(entriesOf(narrowed)).toEqual([`${OFFICE}/32`]);
    expect([await callFrom('203.0.113.11', key), await callFrom(OFFICE, key)]).toEqual([403, 200]);
  });

  it('support may look and try, and change nothing', async () => {
    const key = await entitledKey();
    expect((await put(key, { text: OFFICE }, '*', support)).status).toBe(403);
    for (const action of ['undo', 'keep']) expect((await act(key, action, {}, support)).status).toBe(403);
    for (const action of ['dry-run', 'check']) {
      expect((await act(key, action, { text: OFFICE }, support)).status).toBe(200);
    }
  });
});

describe('404', () => {
  it.each(['00000000-0000-4000-8000-000000000000', 'nonsense'])('no key %s', async (keyId) => {
    const key = { keyId, accountId: '', secret: '' };
    expect((await manager.get(pathOf(key))).status).toBe(404);
    expect((await put(key, { text: OFFICE })).status).toBe(404);
    for (const action of ['check', 'dry-run', 'undo', 'keep', 'suggest']) {
      expect(
        (await act(key, action, action === 'check' || action === 'dry-run' ? { text: OFFICE } : {})).status,
      ).toBe(404);
    }
  });
});

describe('409', () => {
  it.each([
    ['a very wide entry', { text: '96.0.0.0/6' }, '96.0.0.0/6 is very wide'],
    [
      'nothing but entries that end',
      { entries: [{ address: OFFICE, ends_at: '2099-01-01' }] },
      'Every entry ends',
    ],
    ['no list any more', { entries: null }, 'works from every address'],
  ])('%s has to be confirmed', async (_, body, why) => {
    const key = await entitledKey({ allowedIps: [OFFICE] });
    const refused = await put(key, body);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain(why);
    expect((await put(key, { ...body, confirm: true })).status).toBe(200);
  });

  it('there is nothing to undo or to keep', async () => {
    const key = await entitledKey();
    for (const action of ['undo', 'keep'])
      expect((await act(key, action)).body).toMatchObject({ code: 'no_setting_change' });
  });

  it('a list that was changed in another way cannot be undone here', async () => {
    const key = await entitledKey();
    await put(key, { text: OFFICE });
    await stack.dataSource.query(`UPDATE api_key SET allowed_ips = '{192.0.2.1/32}' WHERE id = $1`, [
      key.keyId,
    ]);
    expect((await act(key, 'undo')).status).toBe(409);
  });
});

describe('412 and 428', () => {
  it('of two changes from the same version one wins, and without a version there is none', async () => {
    const key = await entitledKey();
    const etag = (await manager.get(pathOf(key))).headers.get('etag') ?? '';
    const responses = await Promise.all([put(key, { text: OFFICE }, etag), put(key, { text: AGENCY }, etag)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
    const { status } = await manager.send('PUT', pathOf(key), { text: OFFICE, reason: 'A test' });
    expect(status).toBe(428);
  });
});

describe('a secret in the reason', () => {
  it('does not stop the change, and is not kept in the audit log', async () => {
    const key = await entitledKey();
    const secret = 'grk_' + 'A'.repeat(38);
    expect((await put(key, { confirm: true, text: OFFICE, reason: `Leaked ${secret}` })).status).toBe(200);
    const events = JSON.stringify(await eventsOf(key));
    expect(events).toContain('[redacted]');
    expect(events).not.toContain(secret);
  });
});

describe('422', () => {
  it.each<[string, object, string]>([
    ['neither form', {}, '#'],
    ['both forms', { text: OFFICE, entries: [] }, '#'],
    ['an empty list', { entries: [] }, '#/entries'],
    ['an empty text', { text: ' \n' }, '#/text'],
    ['leading zeros', { entries: [{ address: '010.0.0.1' }] }, '#/entries/0/address'],
    [
      'a prefix too long',
      { entries: [{ address: OFFICE }, { address: '10.0.0.0/33' }] },
      '#/entries/1/address',
    ],
    ['everything', { text: '0.0.0.0/0' }, '#/text'],
    ['101 entries', { text: Array.from({ length: 101 }, (_, i) => `192.0.2.${i}`).join() }, '#/text'],
    ['an entry without an address', { entries: [{ note: 'x' }] }, '#/entries/0/address'],
    ['an entry that is not an object', { entries: [OFFICE] }, '#/entries/0'],
    ['an end that is not a time', { entries: [{ address: OFFICE, ends_at: 'soon' }] }, '#/entries/0/ends_at'],
    [
      'an end in the past',
      { entries: [{ address: OFFICE }, { address: AGENCY, ends_at: '2020-01-01' }] },
      '#/entries/1/ends_at',
    ],
    ['half a minute', { text: OFFICE, undo_after_minutes: 0.5 }, '#/undo_after_minutes'],
    ['no reason', { text: OFFICE, reason: '' }, '#/reason'],
  ])('%s is refused with its place, and changes nothing', async (_, body, pointer) => {
    const key = await entitledKey();
    const refused = await put(key, { confirm: true, ...body });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ pointer })]));
    expect((await manager.get(pathOf(key))).body).toMatchObject({ status: 'no_list', version: 1 });
    expect(await eventsOf(key)).toEqual([]);
  });
});

describe('other settings', () => {
  const keyOf = async ({ keyId }: IssuedKey) => (await support.get(`/admin/api-keys/${keyId}`)).body;
  const send = (key: IssuedKey, path: string, body: object = {}, by = manager) =>
    by.post(`/admin/api-keys/${key.keyId}${path}`, { reason: 'Ticket 4711', ...body }, { 'if-match': '*' });
  const tried = async (key: IssuedKey, path: string, body: object) =>
    (await support.post(`/admin/api-keys/${key.keyId}${path}`, body)).body;
  const edit = (key: IssuedKey, body: object) =>
    manager.patch(`/admin/api-keys/${key.keyId}`, { reason: 'Ticket 4711', ...body }, { 'if-match': '*' });

  it('what is suggested would have refused none of the recorded requests, and less would have', async () => {
    const key = await stack.issueKey();
    await callTimes(3, OFFICE, key);
    await stack.request('GET', '/v1/user', { secret: key.secret });
    await stack.request('DELETE', '/v1/voices/none', { secret: key.secret });
    await flush();
    const suggested = await tried(key, '/permissions/suggest', {});
    const permissions = (suggested.permissions as { name: string }[]).map(({ name }) => name);
    expect(permissions.toSorted()).toEqual(['models_read', 'user_read', 'voices_write']);
    expect(suggested).toMatchObject({ days: 30, requests: 5, of: 51, undecided: 0 });
    expect(await tried(key, '/dry-run', { permissions })).toMatchObject({
      permissions: { requests: 5, would_refuse: 0, undecided: 0 },
      credit_limit: null,
      requests_per_minute: null,
    });
    const less = await tried(key, '/dry-run', {
      permissions: ['models_read'],
      requests_per_second: 1,
      requests_per_minute: 1_000,
      requests_per_day: 2,
    });
    expect(less).toMatchObject({
      permissions: {
        would_refuse: 2,
        would_refuse_routes: expect.arrayContaining([
          expect.objectContaining({
            route: 'DELETE /v1/voices/:voice_id',
            permission: 'voices_write',
            requests: 1,
          }),
        ]),
      },
      requests_per_second: { requests: 5 },
      requests_per_minute: { requests: 5, would_refuse_at_least: 0, undecided: 0 },
      requests_per_day: { requests: 5, would_refuse_at_least: 1, undecided: 0 },
    });
    expect(
      (await support.post(`/admin/api-keys/${key.keyId}/dry-run`, { permissions: ['read_voices'] })).status,
    ).toBe(422);
  });

  it('a lower limit of credits is tried against the ledger, and changes nothing', async () => {
    const key = await stack.issueKey();
    await stack.asOwner(
      `SELECT write_ledger_line($1::uuid, $2::uuid, NULL, now() - interval '20 days', 'charge', 10, 'text_to_voice_design',
         $2::text || n, NULL, now() - n * interval '1 day')
       FROM generate_series(1, 9) n`,
      [key.accountId, key.keyId],
    );
    const run = await tried(key, '/dry-run', { credit_limit: 35 });
    expect(run).toMatchObject({ credit_limit: { days_spent: 9, would_stop: 6, credits_beyond: 55 } });
    expect(await keyOf(key)).toMatchObject({ credits: { limit: null }, undo: [] });
  });

  it('an edit that is not kept is reverted by its timer, and the name is not', async () => {
    const key = await stack.issueKey();
    const saved = await edit(key, {
      name: 'Renamed',
      permissions: ['voices_read'],
      credit_limit: 100,
      undo_after_minutes: 10,
    });
    expect(saved.body).toMatchObject({
      receipt: { acknowledged: 1 },
      undo: [
        { setting: 'credit_limit', before: null, due_at: expect.any(String) },
        { setting: 'permissions', before: 'all', due_at: expect.any(String) },
      ],
    });
    expect(await callFrom(OFFICE, key)).toBe(403);
    const stored = await send(key, '/settings/credit_limit/keep');
    expect(stored.body.undo).toMatchObject([
      { setting: 'credit_limit', due_at: null },
      { setting: 'permissions' },
    ]);
    await stack.dataSource.query(
      'UPDATE key_undo SET due_at = now() WHERE subject_id = $1 AND due_at IS NOT NULL',
      [key.keyId],
    );
    await eventually(async () => expect(await callFrom(OFFICE, key)).toBe(200));
    expect(await keyOf(key)).toMatchObject({ name: 'Renamed', permissions: 'all', credits: { limit: 100 } });
    const events = await stack.dataSource.query<{ action: string; reason: string }[]>(
      'SELECT action, reason FROM audit_event WHERE target_id = $1 ORDER BY id',
      [key.keyId],
    );
    expect(events.map(({ action }) => action)).toEqual(['key.edited', 'key.edit_kept', 'key.edit_undone']);
    expect(events.at(-1)).toMatchObject({ reason: 'The change was not kept in time.' });
    const again = await send(key, '/settings/permissions/undo');
    expect(again.body).toMatchObject({ permissions: ['voices_read'], receipt: { acknowledged: 1 } });
  });

  it('without a change to undo, with an unknown setting, or without the permission, is refused', async () => {
    const key = await stack.issueKey();
    expect((await send(key, '/settings/permissions/undo')).body).toMatchObject({ code: 'no_setting_change' });
    expect((await send(key, '/settings/permissions/keep')).body).toMatchObject({ code: 'no_setting_change' });
    for (const setting of ['name', 'allowed_ips'])
      expect((await send(key, `/settings/${setting}/undo`)).body).toMatchObject({
        code: 'setting_not_found',
      });
    expect((await send(key, '/settings/permissions/undo', {}, support)).status).toBe(403);
  });

  it('an expiry is restored to the millisecond, even one that is over', async () => {
    const key = await stack.issueKey();
    await stack.asOwner(`UPDATE api_key SET expires_at = '2020-01-02T03:04:05.678Z' WHERE id = $1`, [
      key.keyId,
    ]);
    await edit(key, { expires_at: '2099-01-01T00:00:00Z' });
    const undone = await send(key, '/settings/expires_at/undo');
    expect(undone.body).toMatchObject({ expires_at: '2020-01-02T03:04:05.678Z', status: 'expired' });
  });
});
