import { randomUUID } from 'node:crypto';
import { TrafficRecorder } from '../../apps/api/src/observed-traffic/traffic-recorder';
import type { Problem } from '../../apps/api/src/http/problem-json';
import { ObservedTrafficRepository } from '../../libs/database/traffic/observed-traffic.repository';
import { eventually } from '../support/eventually';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';

let stack: Stack;
let manager: StaffClient;

beforeAll(async () => {
  stack = await Stack.start();
  manager = await StaffClient.signedIn(stack, 'account_manager');
});

afterAll(async () => {
  await stack.stop();
});

const reason = 'A test';
const ANY = { 'if-match': '*' };
const BULK = '/admin/bulk-key-changes';
const code = ({ body }: StaffResponse) => (body as unknown as Problem).code;
const statusOf = async ({ secret }: IssuedKey) =>
  (await stack.request('GET', '/v1/models', { secret })).status;

async function issue(count: number): Promise<{ accountId: string; keys: IssuedKey[] }> {
  const accountId = await stack.openAccount('pro');
  const keys = [];
  for (let number = 1; number <= count; number += 1)
    keys.push(await stack.issueKey({ accountId, name: `key ${number}` }));
  return { accountId, keys };
}

const chosen = (keys: IssuedKey[]) => `ids=${keys.map(({ keyId }) => keyId).join(',')}`;

/** Changes these keys, chosen one by one. */
async function change(keys: IssuedKey[], edit: object, more: object = {}): Promise<StaffResponse> {
  return manager.post(`${BULK}?${chosen(keys)}`, { ...edit, reason, confirm: String(keys.length), ...more });
}

/** Disables these keys; the id of the change. */
async function disable(keys: IssuedKey[], more: object = {}): Promise<string> {
  const { body: done } = await change(keys, { action: 'disable', disable_reason: 'security_incident' }, more);
  expect(done).toMatchObject({ changed: keys.length, receipt: { processes: 1, acknowledged: 1 } });
  return String(done.change_id);
}

it('disables the selected keys and no others, and enables them again as one', async () => {
  const { keys } = await issue(3);
  const changeId = await disable(keys.slice(0, 2));
  expect(await Promise.all(keys.map(statusOf))).toEqual([401, 401, 200]);
  const { body } = await manager.get(`${BULK}/${changeId}`);
  expect(body).toMatchObject({ changed: 2, due_at: null, undo: { restored: 2, left_alone: 0 } });
  const undone = await manager.post(`${BULK}/${changeId}/undo`, { reason: 'The wrong keys' });
  expect(undone.body).toMatchObject({ restored: 2, left_alone: 0, receipt: { acknowledged: 1 } });
  expect(await Promise.all(keys.map(statusOf))).toEqual([200, 200, 200]);
  const events: { action: string; reason: string }[] = await stack.dataSource.query(
    'SELECT action, reason FROM audit_event WHERE target_id = $1 ORDER BY id',
    [changeId],
  );
  expect(events).toEqual([
    { action: 'keys.disabled', reason },
    { action: 'keys.disable_undone', reason: 'The wrong keys' },
  ]);
  const again = await manager.post(`${BULK}/${changeId}/undo`, { reason });
  expect([again.status, code(again)]).toEqual([409, 'status_unchanged']);
});

it('an undo leaves alone, and names, what was changed since', async () => {
  const { keys } = await issue(4);
  const changeId = await disable(keys);
  const [same, edited, enabled, deleted] = keys.map(({ keyId }) => `/admin/api-keys/${keyId}`);
  await manager.patch(edited!, { name: 'renamed', reason }, ANY);
  await manager.send('POST', `${enabled!}/enable`, { reason }, ANY);
  await manager.send('DELETE', deleted!, { reason }, ANY);
  const { body } = await manager.post(`${BULK}/${changeId}/undo`, { reason });
  expect(body).toMatchObject({ restored: 1, left_alone: 3 });
  const skipped = body.left_alone_keys as { id: string; name: string; because: string }[];
  expect(Object.fromEntries(skipped.map(({ name, because }) => [name, because]))).toEqual({
    renamed: 'changed_since',
    'key 3': 'enabled_since',
    'key 4': 'deleted',
  });
  expect((await manager.get(same!)).body.status).toBe('enabled');
  expect((await manager.get(edited!)).body.status).toBe('disabled');
});

it('an undo leaves the keys of a closed account alone', async () => {
  const { accountId, keys } = await issue(1);
  const changeId = await disable(keys);
  await stack.asOwner(`UPDATE account SET status = 'closed' WHERE id = $1`, [accountId]);
  const { body } = await manager.post(`${BULK}/${changeId}/undo`, { reason });
  expect(body).toMatchObject({
    restored: 0,
    left_alone: 1,
    left_alone_keys: [{ because: 'account_closed' }],
  });
});

it('an undo does not restore an expiry that the policy has ruled out since', async () => {
  const { accountId, keys } = await issue(2);
  const end = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const both = await change(keys, { action: 'set_expiry', expires_at: end });
  await stack.dataSource.query(
    `INSERT INTO key_policy (id, account_id, max_lifetime_days, updated_at) VALUES (gen_random_uuid(), $1, 30, now())`,
    [accountId],
  );
  const { body } = await manager.post(`${BULK}/${String(both.body.change_id)}/undo`, { reason });
  expect(body).toMatchObject({
    restored: 0,
    left_alone_keys: [{ because: 'beyond_policy' }, { because: 'beyond_policy' }],
  });
  const one = `/admin/api-keys/${keys[0]!.keyId}`;
  const undone = await manager.send('POST', `${one}/settings/expires_at/undo`, { reason }, ANY);
  expect([undone.status, (undone.body as unknown as Problem).errors?.[0]?.pointer]).toEqual([
    422,
    '#/expires_at',
  ]);
  expect((await manager.get(one)).body.expires_at).toBe(end);

  await stack.dataSource.query(
    `UPDATE key_undo SET due_at = now() WHERE subject_id = $1 AND setting = 'expires_at'`,
    [keys[0]!.keyId],
  );
  await eventually(async () => {
    const [stored] = await stack.dataSource.query<{ after: object }[]>(
      `SELECT after FROM audit_event WHERE target_id = $1 AND action = 'key.edit_kept'`,
      [keys[0]!.keyId],
    );
    expect(stored).toMatchObject({ after: { not_undone: expect.stringContaining('policy') } });
  });
  expect((await manager.get(one)).body.expires_at).toBe(end);
});

it('an undo of one key on a closed account is refused as an edit is', async () => {
  const { accountId, keys } = await issue(1);
  const path = `/admin/api-keys/${keys[0]!.keyId}`;
  await manager.patch(path, { credit_limit: 5, reason }, ANY);
  await stack.asOwner(`UPDATE account SET tier = 'enterprise', ip_allow_list_enabled = true WHERE id = $1`, [
    accountId,
  ]);
  await manager.send('PUT', `${path}/allowed-ips`, { text: '192.0.2.1', confirm: true, reason }, ANY);
  await stack.asOwner(`UPDATE account SET status = 'closed' WHERE id = $1`, [accountId]);
  const edited = await manager.patch(path, { credit_limit: 9, reason }, ANY);
  const undone = await manager.send('POST', `${path}/settings/credit_limit/undo`, { reason }, ANY);
  const list = await manager.send('POST', `${path}/allowed-ips/undo`, { reason }, ANY);
  for (const response of [edited, undone, list])
    expect([response.status, code(response)]).toEqual([409, 'account_closed']);
});

describe('each action', () => {
  const read = async ({ keyId }: IssuedKey) => (await manager.get(`/admin/api-keys/${keyId}`)).body;
  const undo = async ({ body }: StaffResponse) =>
    (await manager.post(`${BULK}/${String(body.change_id)}/undo`, { reason })).body;

  it('says before what it would change, and what it would leave alone and why', async () => {
    const { keys } = await issue(4);
    await disable(keys.slice(0, 1));
    await stack.asOwner(`UPDATE api_key SET managed_by = 'keys.yaml' WHERE id = $1`, [keys[1]!.keyId]);
    const plan = async (edit: object) => (await manager.post(`${BULK}/dry-run?${chosen(keys)}`, edit)).body;
    expect(await plan({ action: 'disable', disable_reason: 'unused' })).toEqual({
      count: 4,
      changes: 3,
      left_alone: [{ because: 'already', keys: 1 }],
      confirm: '3',
    });
    expect(await plan({ action: 'set_credit_limit', credit_limit: 500 })).toMatchObject({
      changes: 3,
      left_alone: [{ because: 'managed_by_file', keys: 1 }],
    });
    await stack.asOwner(`UPDATE account SET status = 'closed' WHERE id = $1`, [
      ((await read(keys[0]!)).account as { id: string }).id,
    ]);
    expect(await plan({ action: 'enable' })).toMatchObject({
      changes: 0,
      left_alone: expect.arrayContaining([{ because: 'account_closed', keys: 1 }]) as unknown,
    });
  });

  it('enables a key that was found in public only where the filter names that reason', async () => {
    const { accountId, keys } = await issue(2);
    await disable(keys);
    await stack.asOwner(`UPDATE api_key SET disable_reason = 'exposed_publicly' WHERE id = $1`, [
      keys[0]!.keyId,
    ]);
    const edit = { action: 'enable' };
    const all = `account_id=${accountId}`;
    expect((await manager.post(`${BULK}/dry-run?${all}`, edit)).body).toMatchObject({
      changes: 1,
      left_alone: [{ because: 'exposed', keys: 1 }],
    });
    await manager.post(`${BULK}?${all}`, { ...edit, confirm: '1', reason });
    expect(await Promise.all(keys.map(async (key) => (await read(key)).status))).toEqual([
      'disabled',
      'enabled',
    ]);
    const exposed = `${BULK}/dry-run?${all}&disable_reason=exposed_publicly`;
    expect((await manager.post(exposed, edit)).body).toMatchObject({ changes: 1, left_alone: [] });
  });

  it('enables keys, and its undo disables them for the reasons that they had', async () => {
    const { keys } = await issue(2);
    await disable(keys);
    const enabled = await change(keys, { action: 'enable' });
    expect(await Promise.all(keys.map(statusOf))).toEqual([200, 200]);
    expect(await undo(enabled)).toMatchObject({ restored: 2, receipt: { acknowledged: 1 } });
    expect(await Promise.all(keys.map(statusOf))).toEqual([401, 401]);
    expect(await read(keys[0]!)).toMatchObject({ disable_reason: 'security_incident' });
  });

  it('sets an expiry, and its undo restores what each key had', async () => {
    const { keys } = await issue(2);
    const [first, second] = ['2031-01-02T03:04:05.678Z', '2032-01-01T00:00:00.000Z'];
    await manager.patch(`/admin/api-keys/${keys[0]!.keyId}`, { expires_at: first, reason }, ANY);
    const done = await change(keys, { action: 'set_expiry', expires_at: second });
    for (const key of keys) expect((await read(key)).expires_at).toBe(second);
    expect((await read(keys[0]!)).undo).toContainEqual(
      expect.objectContaining({ setting: 'expires_at', before: expect.stringContaining('2031') as string }),
    );
    expect(await undo(done)).toMatchObject({ restored: 2 });
    expect([(await read(keys[0]!)).expires_at, (await read(keys[1]!)).expires_at]).toEqual([first, null]);
  });

  it('sets a credit limit, and its undo restores what each key had', async () => {
    const { keys } = await issue(2);
    await manager.patch(`/admin/api-keys/${keys[0]!.keyId}`, { credit_limit: 70, reason }, ANY);
    const done = await change(keys, { action: 'set_credit_limit', credit_limit: 0 });
    const limits = async () =>
      (await Promise.all(keys.map(read))).map(({ credits }) => (credits as { limit: unknown }).limit);
    expect(await limits()).toEqual([0, 0]);
    const [event] = await stack.dataSource.query<{ before: object; after: object }[]>(
      `SELECT before, after FROM audit_event WHERE target_id = $1`,
      [done.body.change_id],
    );
    expect(event).toMatchObject({
      before: { credit_limit: expect.arrayContaining([{ value: 70, keys: 1 }]) as unknown },
      after: { credit_limit: 0 },
    });
    expect(await undo(done)).toMatchObject({ restored: 2 });
    expect(await limits()).toEqual([70, null]);
  });

  it('adds and removes a tag, and its undo does the other', async () => {
    const { keys } = await issue(2);
    await manager.patch(`/admin/api-keys/${keys[0]!.keyId}`, { tags: ['b', 'trial'], reason }, ANY);
    const tags = async () => Promise.all(keys.map(async (key) => (await read(key)).tags));
    const one = keys.slice(1);
    const wrong = await change(keys, { action: 'add_tag', tag: 'trial' });
    expect([wrong.status, code(wrong)]).toEqual([409, 'selection_changed']);
    const added = await change(keys, { action: 'add_tag', tag: 'trial' }, { confirm: '1' });
    expect([added.body.left_alone, await tags()]).toEqual([1, [['b', 'trial'], ['trial']]]);
    expect(await undo(added)).toMatchObject({ restored: 1 });
    expect(await tags()).toEqual([['b', 'trial'], []]);
    const removed = await change([keys[0]!], { action: 'remove_tag', tag: 'b' });
    expect(await tags()).toEqual([['trial'], []]);
    await undo(removed);
    expect(await tags()).toEqual([['b', 'trial'], []]);
    const full = Array.from({ length: 20 }, (_, number) => `t${number}`);
    await manager.patch(`/admin/api-keys/${one[0]!.keyId}`, { tags: full, reason }, ANY);
    const plan = await manager.post(`${BULK}/dry-run?${chosen(one)}`, { action: 'add_tag', tag: 'more' });
    expect(plan.body.left_alone).toEqual([{ because: 'too_many_tags', keys: 1 }]);
  });

  it.each([
    [{ action: 'add_tag', tag: 'Not A Tag' }, '#/tag'],
    [{ action: 'explode' }, '#/action'],
    [{ action: 'disable' }, '#/disable_reason'],
    [{ action: 'enable', disable_reason: 'unused' }, '#/disable_reason'],
    [{ action: 'set_expiry' }, '#/expires_at'],
    [{ action: 'set_expiry', expires_at: '2020-01-01T00:00:00Z' }, '#/expires_at'],
    [{ action: 'set_expiry', expires_at: 'soon' }, '#/expires_at'],
    [{ action: 'set_expiry', expires_at: '9999-12-31T23:59:59-23:59' }, '#/expires_at'],
    [{ action: 'set_credit_limit', credit_limit: -1 }, '#/credit_limit'],
  ])('422 for %j', async (edit, pointer) => {
    const { keys } = await issue(1);
    const refused = await change(keys, edit);
    const { errors } = refused.body as { errors: { pointer: string }[] };
    expect([refused.status, errors.map((error) => error.pointer)]).toEqual([422, [pointer]]);
  });
});

describe('a change of more keys than one part', () => {
  const COUNT = 1_100;

  /** An account with many keys, quickly. */
  async function fill(): Promise<string> {
    const accountId = await stack.openAccount('pro');
    await stack.asOwner(
      `WITH made AS (
         INSERT INTO api_key (id, account_id, name) SELECT gen_random_uuid(), $1, 'key ' || n
         FROM generate_series(1, ${COUNT}) n RETURNING id
       ), secret AS (
         INSERT INTO api_key_secret (digest, key_id, hint) SELECT md5(id::text), id, 'grk_…abcd' FROM made
       )
       INSERT INTO credit_balance (subject_id, subject, account_id, period_anchor, period_start, period_end)
       SELECT id, 'key', $1, now(), now(), now() + interval '1 month' FROM made`,
      [accountId],
    );
    return accountId;
  }
  const disabledIn = async (accountId: string) => {
    const [row] = await stack.dataSource.query<{ count: number }[]>(
      'SELECT count(disable_reason)::int AS count FROM api_key WHERE account_id = $1',
      [accountId],
    );
    return row!.count;
  };

  it('is made part by part, with an event each, and undone as one', async () => {
    const accountId = await fill();
    const body = { action: 'disable', disable_reason: 'unused', reason, confirm: String(COUNT) };
    const done = await manager.post(`${BULK}?account_id=${accountId}`, body);
    expect(done.body).toMatchObject({ changed: COUNT, left_alone: 0 });
    expect(await disabledIn(accountId)).toBe(COUNT);
    const changeId = String(done.body.change_id);
    const events = await stack.dataSource.query<{ ids: number }[]>(
      `SELECT jsonb_array_length(after -> 'key_ids') AS ids FROM audit_event WHERE target_id = $1 ORDER BY id`,
      [changeId],
    );
    expect(events.map(({ ids }) => ids)).toEqual([500, 500, 100]);
    const undone = await manager.post(`${BULK}/${changeId}/undo`, { reason });
    expect([undone.body.restored, await disabledIn(accountId)]).toEqual([COUNT, 0]);
  });

  it('is completed by the worker when its process is gone, and leaves alone what was changed since', async () => {
    const accountId = await fill();
    const changeId = randomUUID();
    const actor = {
      kind: 'staff',
      id: 'm',
      name: 'ana@example.com',
      role: 'admin',
      address: null,
      requestId: null,
    };
    await stack.asOwner(
      `UPDATE api_key SET disable_reason = 'trial_ended' WHERE account_id = $1 AND name IN ('key 1', 'key 2')`,
      [accountId],
    );
    // One statement: a worker that finds the change finds its keys.
    await stack.asOwner(
      `WITH change AS (
         INSERT INTO bulk_key_change (id, action, value, filter, actor, total, changed, left_alone, reason, changed_by,
           changed_at, progressed_at)
         VALUES ($1, 'disable', '"unused"', '{}', $2, ${COUNT}, 0, 0, 'A test', 'ana@example.com', now(), now() - interval '1 minute')
         RETURNING id)
       INSERT INTO bulk_key_change_item (change_id, key_id)
         SELECT change.id, api_key.id FROM change, api_key WHERE account_id = $3`,
      [changeId, JSON.stringify(actor), accountId],
    );
    await eventually(async () =>
      expect((await manager.get(`${BULK}/${changeId}`)).body).toMatchObject({
        total: COUNT,
        changed: COUNT - 2,
        left_alone: 2,
        finished_at: expect.any(String) as string,
      }),
    );
    expect(await disabledIn(accountId)).toBe(COUNT);
  });

  it('ends where it is when it is undone before', async () => {
    const accountId = await fill();
    const changeId = randomUUID();
    await stack.asOwner(
      `INSERT INTO bulk_key_change (id, action, value, filter, actor, total, changed, left_alone, reason, changed_by,
         changed_at, progressed_at)
       VALUES ($1, 'disable', '"unused"', '{}', '{}', ${COUNT}, 0, 0, 'A test', 'ana@example.com', now(), now())`,
      [changeId],
    );
    await stack.asOwner(
      'INSERT INTO bulk_key_change_item (change_id, key_id) SELECT $1, id FROM api_key WHERE account_id = $2',
      [changeId, accountId],
    );
    expect((await manager.post(`${BULK}/${changeId}/undo`, { reason })).body).toMatchObject({ restored: 0 });
    await stack.asOwner(
      `UPDATE bulk_key_change SET progressed_at = now() - interval '1 hour' WHERE id = $1`,
      [changeId],
    );
    expect((await manager.get(`${BULK}/${changeId}`)).body.finished_at).not.toBeNull();
    expect(await disabledIn(accountId)).toBe(0);
  });
});

describe('a change with a timer', () => {
  const due = (changeId: string) =>
    stack.asOwner(`UPDATE bulk_key_change SET due_at = now() - interval '1 second' WHERE id = $1`, [
      changeId,
    ]);

  it('is undone by the worker when it was not kept', async () => {
    const { keys } = await issue(2);
    const changeId = await disable(keys, { undo_after_minutes: 15 });
    await due(changeId);
    await eventually(async () => expect(await Promise.all(keys.map(statusOf))).toEqual([200, 200]));
    const { body } = await manager.get(`${BULK}/${changeId}`);
    expect(body).toMatchObject({ undone_by: 'bulk-undo', due_at: null });
  });

  it('stays when it was kept', async () => {
    const { keys } = await issue(1);
    const changeId = await disable(keys, { undo_after_minutes: 15 });
    expect((await manager.get(BULK)).body.items).toContainEqual(
      expect.objectContaining({ id: changeId, due_at: expect.any(String) as string }),
    );
    const stored = await manager.post(`${BULK}/${changeId}/keep`, { reason });
    expect(stored.body).toMatchObject({ due_at: null, undone_at: null });
    expect(await statusOf(keys[0]!)).toBe(401);
    expect(code(await manager.post(`${BULK}/${changeId}/keep`, { reason }))).toBe('status_unchanged');
  });
});

describe('the list of keys', () => {
  const idsOf = async (query: string) => {
    const { body } = await manager.get(`/admin/api-keys?${query}`);
    return (body.items as { id: string }[]).map(({ id }) => id);
  };

  it('is narrowed to keys that have used a share of their credits, and sorted by it', async () => {
    const accountId = await stack.openAccount('pro');
    const issueUsed = async (used: number, creditLimit: number | null) => {
      const { keyId } = await stack.issueKey({ accountId, creditLimit });
      await stack.asOwner('UPDATE credit_balance SET used = $2 WHERE subject_id = $1', [keyId, used]);
      return keyId;
    };
    const [unlimited, half, most, all] = [
      await issueUsed(5_000, null),
      await issueUsed(500, 1_000),
      await issueUsed(85, 100),
      await issueUsed(10, 10),
    ];
    expect(await idsOf(`account_id=${accountId}&sort=-credit_share`)).toEqual([all, most, half, unlimited]);
    const requested = `account_id=${accountId}&min_credits_percent=80&sort=credit_share`;
    expect(await idsOf(requested)).toEqual([most, all]);
    const first = await manager.get(`/admin/api-keys?${requested}&limit=1`);
    const cursor = encodeURIComponent(String(first.body.next_cursor));
    expect(await idsOf(`${requested}&limit=1&cursor=${cursor}`)).toEqual([all]);
  });

  it('counts what was granted beyond the limit, in the list, its file and on the key', async () => {
    const accountId = await stack.openAccount('pro');
    const { keyId } = await stack.issueKey({ accountId, creditLimit: 10 });
    const grant = { kind: 'grant', amount: 90, key_id: keyId, reason: 'A test' };
    await manager.post(`/admin/accounts/${accountId}/credits`, grant, { 'if-match': '*' });
    await stack.asOwner('UPDATE credit_balance SET used = 10 WHERE subject_id = $1', [keyId]);
    const narrowed = (percent: number) => idsOf(`account_id=${accountId}&min_credits_percent=${percent}`);
    expect([await narrowed(11), await narrowed(10)]).toEqual([[], [keyId]]);
    const { body } = await manager.get(`/admin/api-keys/${keyId}`);
    expect(body.credits).toMatchObject({ limit: 10, granted: 90, used: 10, remaining: 90 });
    const { text } = await manager.get(`/admin/api-keys/export?account_id=${accountId}`);
    const [names, values] = text.split('\r\n').map((line) => line.split(','));
    const valueOf = (name: string) => values![names!.indexOf(name)];
    expect(['credits_used', 'credit_limit', 'credits_granted', 'credits_left'].map(valueOf)).toEqual([
      '10',
      '10',
      '90',
      '90',
    ]);
  });

  /** Counts requests of a key that a gate has refused, as the api does. */
  const refuse = (keyId: string, outcome: string, daysAgo: number, requests = 1) => {
    const at = new Date(Date.now() - daysAgo * 86_400_000);
    const hour = new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000);
    const [route, address] = ['GET /v1/models', '203.0.113.10'];
    const counted = { keyId, hour, route, address, outcome, requests, firstAt: at, lastAt: at };
    return new ObservedTrafficRepository(stack.dataSource).addCounts([counted]);
  };
  const since = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

  it('is narrowed to keys that were refused lately', async () => {
    const { accountId, keys } = await issue(2);
    await refuse(keys[1]!.keyId, 'scope', 3);
    expect(await idsOf(`account_id=${accountId}&refused_since=${since(7)}`)).toEqual([keys[1]!.keyId]);
    expect(await idsOf(`account_id=${accountId}&refused_since=${since(2)}`)).toEqual([]);
  });

  it('is narrowed to keys that one gate has refused, lately or as far as it is known', async () => {
    const { accountId, keys } = await issue(3);
    const [both, paid] = keys.map(({ keyId }) => keyId);
    await refuse(both!, 'scope', 1);
    await refuse(both!, 'credits', 5);
    await refuse(paid!, 'credits', 3);
    const of = (query: string) => idsOf(`account_id=${accountId}&sort=created_at&${query}`);
    expect(await of('refused_by=credits')).toEqual([both, paid]);
    expect(await of(`refused_by=credits&refused_since=${since(4)}`)).toEqual([paid]);
    expect(await of(`refused_by=scope&refused_since=${since(4)}`)).toEqual([both]);
    expect(await of('refused_by=ip')).toEqual([]);
    const { status, body } = await manager.get('/admin/api-keys?refused_by=money');
    expect([status, body.errors]).toMatchObject([422, [{ parameter: 'refused_by' }]]);
  });

  it('is narrowed to keys that one gate has refused, however many requests another has refused since', async () => {
    const key = await stack.issueKey({ tier: 'enterprise', allowedIps: ['203.0.113.10'] });
    const call = () => stack.request('GET', '/v1/models', { secret: key.secret });
    expect((await call()).status).toBe(403);
    await manager.post(`/admin/api-keys/${key.keyId}/disable`, { disable_reason: 'unused', reason }, ANY);
    for (const _ of [1, 2]) {
      await Promise.all(Array.from({ length: 60 }, call));
      await stack.api.get(TrafficRecorder).flush();
    }
    const by = (gate: string) =>
      idsOf(`account_id=${key.accountId}&refused_by=${gate}&refused_since=${since(1)}`);
    expect(await by('state')).toEqual([key.keyId]);
    expect(await by('ip')).toEqual([key.keyId]);
    expect(await idsOf(`account_id=${key.accountId}&list_refused_since=${since(1)}`)).toEqual([key.keyId]);
  });

  it.each(['ids=nonsense', `ids=${Array(101).fill(randomUUID()).join(',')}`, 'min_credits_percent=0'])(
    '422 for %s',
    async (query) => {
      expect((await manager.get(`/admin/api-keys?${query}`)).status).toBe(422);
    },
  );
});

it('403: support reads changes and undoes none; 404 for an unknown change', async () => {
  const { keys } = await issue(1);
  const changeId = await disable(keys);
  const support = await StaffClient.signedIn(stack, 'support');
  expect((await support.get(`${BULK}/${changeId}`)).status).toBe(200);
  expect((await support.post(`${BULK}/${changeId}/undo`, { reason })).status).toBe(403);
  expect((await support.post(`${BULK}/${changeId}/keep`, { reason })).status).toBe(403);
  for (const id of [randomUUID(), 'nonsense'])
    expect(code(await manager.post(`${BULK}/${id}/undo`, { reason }))).toBe('bulk_change_not_found');
});
