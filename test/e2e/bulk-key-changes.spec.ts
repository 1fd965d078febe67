import { randomUUID } from 'node:crypto';
import type { Problem } from '../../apps/api/src/http/problem-json';
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

/** Disables these keys, chosen one by one; the id of the change. */
async function disable(keys: IssuedKey[], more: object = {}): Promise<string> {
  const path = `/admin/api-keys/bulk-disable?ids=${keys.map(({ keyId }) => keyId).join(',')}`;
  const body = { disable_reason: 'security_incident', reason, confirm: String(keys.length), ...more };
  const { body: done } = await manager.post(path, body);
  expect(done).toMatchObject({ disabled: keys.length, receipt: { processes: 1, acknowledged: 1 } });
  return String(done.change_id);
}

it('disables the selected keys and no others, and enables them again as one', async () => {
  const { keys } = await issue(3);
  const changeId = await disable(keys.slice(0, 2));
  expect(await Promise.all(keys.map(statusOf))).toEqual([401, 401, 200]);
  const { body } = await manager.get(`${BULK}/${changeId}`);
  expect(body).toMatchObject({ disabled: 2, due_at: null, undo: { enabled: 2, left_alone: 0 } });
  const undone = await manager.post(`${BULK}/${changeId}/undo`, { reason: 'The wrong keys' });
  expect(undone.body).toMatchObject({ enabled: 2, left_alone: 0, receipt: { acknowledged: 1 } });
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
  expect(body).toMatchObject({ enabled: 1, left_alone: 3 });
  const leftAlone = body.left_alone_keys as { id: string; name: string; because: string }[];
  expect(Object.fromEntries(leftAlone.map(({ name, because }) => [name, because]))).toEqual({
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
  expect(body).toMatchObject({ enabled: 0, left_alone: 1, left_alone_keys: [{ because: 'account_closed' }] });
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
    const kept = await manager.post(`${BULK}/${changeId}/keep`, { reason });
    expect(kept.body).toMatchObject({ due_at: null, undone_at: null });
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
    const wanted = `account_id=${accountId}&min_credits_percent=80&sort=credit_share`;
    expect(await idsOf(wanted)).toEqual([most, all]);
    const first = await manager.get(`/admin/api-keys?${wanted}&limit=1`);
    const cursor = encodeURIComponent(String(first.body.next_cursor));
    expect(await idsOf(`${wanted}&limit=1&cursor=${cursor}`)).toEqual([all]);
  });

  it('is narrowed to keys that were refused lately', async () => {
    const { accountId, keys } = await issue(2);
    await stack.asOwner(
      `INSERT INTO key_refusal (key_id, at, route, address, gate, reason, status, request_id)
       VALUES ($1, now() - interval '3 days', 'GET /v1/models', '203.0.113.10', 'scope', 'missing', 401, 'one')`,
      [keys[1]!.keyId],
    );
    const since = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    expect(await idsOf(`account_id=${accountId}&refused_since=${since(7)}`)).toEqual([keys[1]!.keyId]);
    expect(await idsOf(`account_id=${accountId}&refused_since=${since(2)}`)).toEqual([]);
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
