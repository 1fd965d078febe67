import { createHash, randomUUID } from 'node:crypto';
import { ApiKeyRepository } from '../../libs/database/keys/api-key.repository';
import { TIERS } from '../../libs/domain/accounts/tiers';
import { digestSecret } from '../../libs/domain/keys/api-key-secret';
import { issueServiceCredential } from '../support/ledger-storm';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
let service: string;
let manager: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  service = await issueServiceCredential(stack.api);
  manager = await StaffClient.signedIn(stack, 'account_manager');
});

afterAll(async () => {
  await stack.stop();
});

const ADDRESS = '127.0.0.1';
const FREE = { permissions: 'all' } as const;

/** A service account with a key of it that is limited in every dimension, and a free key of the account. */
async function openTree(limits: Parameters<Stack['issueKey']>[0] = {}) {
  const owner = await stack.issueKey({ tier: 'enterprise' });
  const { accountId } = owner;
  await stack.dataSource.query('UPDATE account SET ip_allow_list_enabled = true WHERE id = $1', [accountId]);
  const { body } = await stack.request('POST', '/v1/service-accounts', {
    secret: owner.secret,
    body: { name: 'Partner' },
  });
  const serviceAccountId = String(body['service-account-user-id']);
  const limited = await stack.issueKey({
    accountId,
    serviceAccountId,
    permissions: ['service_account_write', 'models_read', 'voice_generation'],
    creditLimit: 500,
    allowedIps: [`${ADDRESS}/32`],
    expiresAt: new Date(Date.now() + 3_600_000),
    requestsPerMinute: 1_000,
    ...limits,
  });
  return {
    owner,
    accountId,
    serviceAccountId,
    limited,
    keys: `/v1/service-accounts/${serviceAccountId}/api-keys`,
  };
}

type Tree = Awaited<ReturnType<typeof openTree>>;

const create = (tree: Tree, by: { secret: string }, body: object) =>
  stack.request('POST', tree.keys, { secret: by.secret, body: { name: 'child', ...FREE, ...body } });
const patch = (tree: Tree, by: { secret: string }, keyId: string, body: object) =>
  stack.request('PATCH', `${tree.keys}/${keyId}`, { secret: by.secret, body });
const remove = (tree: Tree, by: { secret: string }, keyId: string) =>
  stack.request('DELETE', `${tree.keys}/${keyId}`, { secret: by.secret });

/** Everything that is stored of a key: two requests that change nothing leave the same. */
async function stored(keyId: string): Promise<string> {
  const rows = await stack.dataSource.query<object[]>(
    `SELECT to_jsonb(k) AS key, b.credit_limit,
       (SELECT count(*) FROM audit_event e WHERE e.target_id = k.id::text) AS events
     FROM api_key k JOIN credit_balance b ON b.subject_id = k.id WHERE k.id = $1`,
    [keyId],
  );
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

const LISTED = { allowed_ips: [`${ADDRESS}/32`] };
const WITHIN = { ...LISTED, permissions: ['models_read', 'service_account_write'], character_limit: 500 };

/** A key that the other one has created. */
async function child(tree: Tree, by: { secret: string }, body: object = {}) {
  const { status, body: created } = await create(tree, by, { ...WITHIN, ...body });
  expect([status, created.detail]).toEqual([200, undefined]);
  return { keyId: String(created.key_id), secret: String(created['xi-api-key']) };
}

const call = async ({ secret }: { secret: string }) =>
  (await stack.request('GET', '/v1/models', { secret })).status;

/** Charges a key for work that another service has done. */
async function spend({ secret }: { secret: string }, cost: number): Promise<string> {
  const body = { token: secret, address: ADDRESS, scope: 'models_read', cost };
  const { body: found } = await stack.request('POST', '/introspect', {
    headers: { authorization: `Bearer ${service}` },
    body: { ...body, request_id: randomUUID() },
  });
  return found.active ? 'charged' : String(found.code);
}

async function used(keyId: string): Promise<number> {
  const rows = await stack.dataSource.query<{ used: string }[]>(
    'SELECT used FROM credit_balance WHERE subject_id = $1',
    [keyId],
  );
  return Number(rows[0]?.used);
}

/** A change by staff, whatever the version of the key is. */
async function byStaff(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object = {}): Promise<void> {
  const { headers } = await manager.get(`/admin/api-keys/${path.split('/')[0]}`);
  const ifMatch = { 'if-match': headers.get('etag')! };
  const change = { reason: 'A test', ...body };
  const response = await manager.send(method, `/admin/api-keys/${path}`, change, ifMatch);
  expect([response.status, response.text]).toEqual([200, expect.anything()]);
}

describe('200', () => {
  it('a key creates and changes keys within its own limits, and tightens itself', async () => {
    const tree = await openTree();
    const created = await child(tree, tree.limited);
    expect(await call(created)).toBe(200);
    expect(
      (await patch(tree, tree.limited, created.keyId, { character_limit: 20, name: 'less' })).status,
    ).toBe(200);
    expect((await patch(tree, tree.limited, created.keyId, { character_limit: 500 })).status).toBe(200);
    const less = { character_limit: 10, permissions: ['service_account_write'], is_enabled: 'no_update' };
    expect((await patch(tree, tree.limited, tree.limited.keyId, less)).status).toBe(200);
    expect((await patch(tree, tree.limited, tree.limited.keyId, { character_limit: 11 })).status).toBe(403);
    expect((await patch(tree, tree.limited, tree.limited.keyId, { is_enabled: false })).status).toBe(200);
    expect(await call(tree.limited)).toBe(401);
  });

  it('what staff take from a key, the keys that it has created lose at once', async () => {
    const tree = await openTree();
    const created = await child(tree, tree.limited);
    const last = await child(tree, created);
    expect([await call(created), await call(last)]).toEqual([200, 200]);
    const parentPath = tree.limited.keyId;

    await byStaff('PATCH', parentPath, { permissions: ['service_account_write'] });
    expect([await call(created), await call(last)]).toEqual([403, 403]);
    await byStaff('PATCH', parentPath, { permissions: 'all' });
    expect([await call(created), await call(last)]).toEqual([200, 200]);

    await byStaff('POST', `${parentPath}/disable`, { disable_reason: 'unused' });
    expect([await call(created), await call(last)]).toEqual([401, 401]);
    await byStaff('POST', `${parentPath}/enable`);
    expect([await call(created), await call(last)]).toEqual([200, 200]);

    await stack.dataSource.query("UPDATE api_key SET allowed_ips = '{203.0.113.7/32}' WHERE id = $1", [
      parentPath,
    ]);
    await byStaff('PATCH', parentPath, { name: 'listed elsewhere' });
    expect([await call(created), await call(last)]).toEqual([403, 403]);
    await stack.dataSource.query('UPDATE api_key SET allowed_ips = NULL WHERE id = $1', [parentPath]);

    await byStaff('PATCH', parentPath, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect([await call(created), await call(last)]).toEqual([200, 200]);
    await byStaff('DELETE', parentPath);
    expect([await call(created), await call(last)]).toEqual([401, 401]);
  });

  it('explain names the maker that is not in use', async () => {
    const tree = await openTree();
    const created = await child(tree, tree.limited);
    await byStaff('POST', `${tree.limited.keyId}/disable`, { disable_reason: 'unused' });
    const requested = { address: ADDRESS, method: 'GET', path: '/v1/models' };
    const { body } = await manager.post(`/admin/api-keys/${created.keyId}/explain`, requested);
    expect(body).toMatchObject({ allowed: false, decided_by: 'state' });
    expect(JSON.stringify(body)).toContain('A key that it comes from is not in use: unused.');
  });

  it('staff detach a key: it outlives its maker, and the keys below it stay below it', async () => {
    const tree = await openTree();
    const created = await child(tree, tree.limited);
    const last = await child(tree, created);
    await byStaff('POST', `${created.keyId}/detach`);
    await byStaff('DELETE', tree.limited.keyId);
    expect([await call(created), await call(last)]).toEqual([200, 200]);
    const shown = await manager.get(`/admin/api-keys/${last.keyId}`);
    expect(shown.body).toMatchObject({ maker_id: created.keyId });
    await byStaff('DELETE', created.keyId);
    expect(await call(last)).toBe(401);
    const events = await stack.dataSource.query<object[]>(
      "SELECT before, after FROM audit_event WHERE target_id = $1 AND action = 'key.detached'",
      [created.keyId],
    );
    expect(events).toEqual([{ before: { maker_ids: [tree.limited.keyId] }, after: { maker_ids: null } }]);
  });

  it('what keys spend counts for their makers: all of them together spend what the first one may', async () => {
    const tree = await openTree({ creditLimit: 100 });
    const first = await child(tree, tree.limited, { character_limit: 100 });
    const second = await child(tree, tree.limited, { character_limit: 60 });
    const last = await child(tree, first, { character_limit: 100 });
    expect(await spend(last, 70)).toBe('charged');
    expect(await spend(second, 31)).toBe('insufficient_credits');
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, number) => spend([tree.limited, first, second, last][number % 4]!, 1)),
    );
    expect(outcomes.filter((outcome) => outcome === 'charged')).toHaveLength(30);
    expect(await used(tree.limited.keyId)).toBe(100);
  });

  it('keys without a number of their own share the requests per minute of their maker', async () => {
    const tree = await openTree({ requestsPerMinute: 3 });
    const [first, second] = [await child(tree, tree.limited), await child(tree, tree.limited)];
    expect([await call(first), await call(second)]).toEqual([200, 429]);
  });

  it('a maker and its keys are counted within the same limit, also where that is more than their tier has', async () => {
    const tree = await openTree({ requestsPerMinute: TIERS.pro.requestsPerMinute + 1_000 });
    const created = await child(tree, tree.limited);
    await stack.dataSource.query(`UPDATE account SET tier = 'pro' WHERE id = $1`, [tree.accountId]);
    const limitOf = async ({ secret }: { secret: string }) =>
      (await stack.api.get(ApiKeyRepository).findByDigest(digestSecret(secret)))!.requestLimit;
    expect(await limitOf(created)).toEqual(await limitOf(tree.limited));
    expect((await limitOf(created)).keyId).toBe(tree.limited.keyId);
  });
});

describe('403', () => {
  it.each([
    ['credit limit', { character_limit: 'clear' }],
    ['credit limit', { character_limit: 501 }],
    ['allow-list', { allowed_ips: 'clear' }],
    ['allow-list', { allowed_ips: [`${ADDRESS}/32`, '203.0.113.7/32'] }],
    ['permissions', { permissions: 'all' }],
  ])('a key loosens its own %s by %j', async (_, body) => {
    const tree = await openTree();
    const before = await stored(tree.limited.keyId);
    const { status } = await patch(tree, tree.limited, tree.limited.keyId, body);
    expect(status).toBe(403);
    expect(await stored(tree.limited.keyId)).toBe(before);
  });

  it.each([
    ['no credit limit', { allowed_ips: [`${ADDRESS}/32`], permissions: ['models_read'] }],
    ['no allow-list', { character_limit: 500, permissions: ['models_read'] }],
    ['all permissions', { character_limit: 500, allowed_ips: [`${ADDRESS}/32`] }],
  ])('a key makes another one with %s', async (_, body) => {
    const tree = await openTree();
    const { status } = await create(tree, tree.limited, body);
    expect(status).toBe(403);
    const list = await stack.request('GET', tree.keys, { secret: tree.owner.secret });
    expect(list.body['api-keys']).toHaveLength(1);
  });

  it('a key renames, disables or deletes a freer one', async () => {
    const tree = await openTree();
    const { accountId, serviceAccountId } = tree;
    const strong = await stack.issueKey({ accountId, serviceAccountId });
    const before = await stored(strong.keyId);
    const responses = [
      await patch(tree, tree.limited, strong.keyId, { name: 'taken' }),
      await patch(tree, tree.limited, strong.keyId, { is_enabled: false }),
      await remove(tree, tree.limited, strong.keyId),
    ];
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(await stored(strong.keyId)).toBe(before);
  });

  it('a PATCH that is refused in one part changes no part', async () => {
    const tree = await openTree();
    const child = await stack.issueKey({ ...tree.owner, serviceAccountId: tree.serviceAccountId });
    await stack.dataSource.query(
      `UPDATE api_key SET disable_reason = 'security_incident', disabled_at = now() WHERE id = $1`,
      [child.keyId],
    );
    const before = await stored(child.keyId);
    const { status } = await patch(tree, tree.owner, child.keyId, {
      name: 'renamed',
      character_limit: 7,
      allowed_ips: ['203.0.113.7/32'],
      is_enabled: true,
    });
    expect(status).toBe(403);
    expect(await stored(child.keyId)).toBe(before);
  });

  it('a key that staff have disabled is enabled by no key, whatever the reason', async () => {
    const tree = await openTree();
    const created = await child(tree, tree.limited);
    await byStaff('POST', `${created.keyId}/disable`, { disable_reason: 'requested_by_customer' });
    const { status } = await patch(tree, tree.owner, created.keyId, { is_enabled: true });
    expect(status).toBe(403);
    expect(await call(created)).toBe(401);
  });

  it('a limited key gives no more credits to a key that it has not created', async () => {
    const tree = await openTree();
    const { accountId, serviceAccountId } = tree;
    const other = await stack.issueKey({
      accountId,
      serviceAccountId,
      permissions: ['models_read'],
      creditLimit: 10,
      allowedIps: [`${ADDRESS}/32`],
      expiresAt: new Date(Date.now() + 60_000),
      requestsPerMinute: 10,
    });
    expect((await patch(tree, tree.limited, other.keyId, { character_limit: 500 })).status).toBe(403);
    expect((await patch(tree, tree.limited, other.keyId, { character_limit: 5 })).status).toBe(200);
    expect((await patch(tree, tree.owner, other.keyId, { character_limit: 500 })).status).toBe(200);
  });
});

describe('400', () => {
  it('more than five generations above a key', async () => {
    const tree = await openTree();
    let parentKey: { secret: string } = tree.limited;
    for (let generation = 0; generation < 5; generation += 1) parentKey = await child(tree, parentKey);
    const { status, body } = await create(tree, parentKey, WITHIN);
    expect([status, body.detail]).toEqual([
      400,
      expect.objectContaining({
        code: 'key_generation_limit_reached',
        message: expect.stringContaining('at most 5 generations'),
      }),
    ]);
  });

  it('more than a hundred keys of a service account, even when all are requested at once', async () => {
    const tree = await openTree({ requestsPerMinute: null });
    await stack.dataSource.query(
      `INSERT INTO api_key (id, account_id, service_account_id, name)
       SELECT gen_random_uuid(), $1, $2, 'many' FROM generate_series(1, 96)`,
      [tree.accountId, tree.serviceAccountId],
    );
    const responses = await Promise.all(Array.from({ length: 8 }, () => create(tree, tree.limited, WITHIN)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = responses.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(5);
    expect(refused[0]!.body.detail).toMatchObject({
      code: 'service_account_key_limit_reached',
      message: 'A service account has at most 100 API keys, and this one has 100. Delete one first.',
    });
  });

  it('more than a thousand single-use tokens of a key that can still be used', async () => {
    const { keyId, secret } = await stack.issueKey();
    await stack.dataSource.query(
      `INSERT INTO single_use_token (digest, key_id, type, expires_at, used_at)
       SELECT $1 || n, $1::uuid, 'text_to_voice_design', now() + interval '1 minute', CASE WHEN n > 997 THEN now() END
       FROM generate_series(1, 2000) n`,
      [keyId],
    );
    const responses = await Promise.all(
      Array.from({ length: 8 }, () =>
        stack.request('POST', '/v1/single-use-token/text_to_voice_design', { secret }),
      ),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = responses.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(5);
    expect(refused[0]!.body.detail).toMatchObject({
      code: 'single_use_token_limit_reached',
      message: expect.stringContaining('at most 1000 single-use tokens'),
    });
  });
});
