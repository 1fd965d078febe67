import { randomUUID } from 'node:crypto';
import { Stack } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';

const stack = Stack.ofFile({ worker: false });
const manager = StaffClient.ofFile(stack, 'account_manager');

const reason = 'A test';
const code = ({ status, body }: StaffResponse) => [status, body.code];

/** What a staff member creates, and what finds it. */
const CREATIONS = {
  'an account': (accountId: string) =>
    ['/admin/accounts', { name: accountId, tier: 'free', reason }] as const,
  'a key': (accountId: string) =>
    [`/admin/accounts/${accountId}/api-keys`, { name: 'k', permissions: 'all', reason }] as const,
  'a contact': (accountId: string) =>
    [
      `/admin/accounts/${accountId}/contacts`,
      { name: 'c', channel: 'email', email: 'c@customer.test', categories: ['keys'], reason },
    ] as const,
};

it.each(Object.keys(CREATIONS) as (keyof typeof CREATIONS)[])(
  'the same request to create %s gets the same response, and has its effect once',
  async (what) => {
    const accountId = await stack.openAccount('pro');
    const [path, body] = CREATIONS[what](accountId);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await manager.post(path, body, headers);
    const second = await manager.post(path, body, headers);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    for (const name of ['etag', 'cache-control'])
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    const events = await stack.asOwner('SELECT id FROM audit_event WHERE target_id = $1', [first.body.id]);
    expect(events).toHaveLength(1);
    const other = await manager.post(path, body, { 'idempotency-key': randomUUID() });
    expect(other.body.id).not.toBe(first.body.id);
  },
);

it('a stored response keeps no secret that can be read in the database', async () => {
  const accountId = await stack.openAccount('pro');
  const [path, body] = CREATIONS['a key'](accountId);
  const { body: created } = await manager.post(path, body, { 'idempotency-key': 'stored-1' });
  const [row] = await stack.asOwner<{ answer: object }>(
    `SELECT answer FROM idempotent_request WHERE key = 'stored-1'`,
  );
  expect(JSON.stringify(row)).not.toContain(String(created.secret));
});

it('409 for another request with the same key, and for one whose first has no response yet', async () => {
  const accountId = await stack.openAccount('pro');
  const [path, body] = CREATIONS['a key'](accountId);
  const headers = { 'idempotency-key': randomUUID() };
  await manager.post(path, body, headers);
  expect(code(await manager.post(path, { ...body, name: 'other' }, headers))).toEqual([
    409,
    'idempotency_key_reused',
  ]);
  await stack.asOwner('UPDATE idempotent_request SET answer = NULL WHERE key = $1', [
    headers['idempotency-key'],
  ]);
  expect(code(await manager.post(path, body, headers))).toEqual([409, 'idempotency_key_claimed']);
});

it('a refused request may be sent again with its key, and a key is a staff member’s own', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const [path, body] = CREATIONS['an account'](randomUUID());
  expect((await manager.post(path, { ...body, tier: 'none' }, headers)).status).toBe(422);
  expect((await manager.post(path, body, headers)).status).toBe(201);
  const other = await StaffClient.signedIn(stack, 'account_manager');
  const [, another] = CREATIONS['an account'](randomUUID());
  expect((await other.post(path, another, headers)).status).toBe(201);
});

it('400 for a key that is malformed', async () => {
  const [path, body] = CREATIONS['an account'](randomUUID());
  expect((await manager.post(path, body, { 'idempotency-key': 'with space' })).status).toBe(400);
});
