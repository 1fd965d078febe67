import { randomUUID } from 'node:crypto';
import type { Problem } from '../../apps/api/src/http/problem-json';
import type {
  ApiKeyPageResponse,
  ApiKeyWithSecretResponse,
} from '../../apps/api/src/api-keys/staff-api-key.dto';
import { KeySafetyWatchService } from '../../libs/administration/key-safety/key-safety-watch.service';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { IdleKeysService } from '../../libs/administration/keys/idle-keys.service';
import { TrafficRecorder } from '../../apps/api/src/observed-traffic/traffic-recorder';
import { ApiKeyRepository } from '../../libs/database/keys/api-key.repository';
import { PERMISSIONS } from '../../libs/domain/keys/permissions';
import { eventually } from '../support/eventually';
import { expiryOf } from '../support/expiry';
import { flushTraffic } from '../support/console-world';
import { Stack } from '../support/stack';
import { ANY_VERSION, StaffClient, type StaffResponse } from '../support/staff-client';
import { DESCRIPTION, designBody, TEXT } from '../support/samples';

const stack = Stack.ofFile({ worker: false });
const manager = StaffClient.ofFile(stack, 'account_manager');
const support = StaffClient.ofFile(stack, 'support');

const reason = 'A test';
const DAY_MS = 86_400_000;
const ANY = { 'if-match': '*' };
const key = (response: StaffResponse) => response.body as unknown as ApiKeyWithSecretResponse;
const page = (response: StaffResponse) => response.body as unknown as ApiKeyPageResponse;
const problem = (response: StaffResponse) => response.body as unknown as Problem;

/** A key as staff hold it: with the ETag of what they have read. */
interface Held {
  id: string;
  accountId: string;
  secret: string;
  etag: string;
}

async function create(body: object = {}, accountId?: string): Promise<Held> {
  const owner = accountId ?? (await stack.openAccount());
  const response = await manager.post(`/admin/accounts/${owner}/api-keys`, {
    name: 'A key',
    permissions: 'all',
    reason,
    ...body,
  });
  expect(response.status).toBe(201);
  return {
    id: key(response).id,
    accountId: owner,
    secret: key(response).secret,
    etag: response.headers.get('etag')!,
  };
}

async function change(held: Held, method: string, path: string, body: object = {}): Promise<StaffResponse> {
  const headers = { 'if-match': held.etag };
  const response = await manager.send(
    method,
    `/admin/api-keys/${held.id}${path}`,
    { reason, ...body },
    headers,
  );
  held.etag = response.headers.get('etag') ?? held.etag;
  return response;
}

const call = async (secret: string) => (await stack.request('GET', '/v1/models', { secret })).status;

async function eventsOf(keyId: string): Promise<Record<string, unknown>[]> {
  return stack.dataSource.query(
    'SELECT action, before, after, reason, account_id FROM audit_event WHERE target_id = $1 ORDER BY id',
    [keyId],
  );
}

async function idsOf(query: string): Promise<string[]> {
  const response = await support.get(`/admin/api-keys?${query}`);
  expect(response.status).toBe(200);
  return page(response).items.map(({ id }) => id);
}

describe('200 and 201', () => {
  it('a new key works at once; its secret is in this one response, which no cache may keep', async () => {
    const accountId = await stack.openAccount();
    const response = await manager.post(`/admin/accounts/${accountId}/api-keys`, {
      name: 'Backend',
      permissions: ['models_read', 'voices_read'],
      credit_limit: 500,
      requests_per_minute: 60,
      expires_at: '2099-01-01T00:00:00Z',
      reason: 'Ticket 12',
    });
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'private, no-store']);
    const { secret, id } = key(response);
    expect(await call(secret)).toBe(200);
    const read = await support.get(`/admin/api-keys/${id}`);
    expect(read.text).not.toContain(secret);
    expect(key(read)).toMatchObject({
      account: { id: accountId, tier: 'creator' },
      name: 'Backend',
      hint: `grk_…${secret.slice(-4)}`,
      status: 'enabled',
      permissions: ['voices_read', 'models_read'],
      allowed_ips: null,
      credits: { used: 0, limit: 500 },
      requests_per_minute: 60,
      expires_at: '2099-01-01T00:00:00.000Z',
      version: 1,
      secrets: [{ number: 1, state: 'current' }],
    });
    const events = await eventsOf(id);
    expect(events).toMatchObject([
      {
        action: 'key.created',
        account_id: accountId,
        reason: 'Ticket 12',
        after: { name: 'Backend', permissions: ['voices_read', 'models_read'], credit_limit: 500 },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it('an edit changes what it names, counts as a version, and works from the response on', async () => {
    const held = await create({ permissions: ['models_read'] });
    expect(await call(held.secret)).toBe(200);
    const response = await change(held, 'PATCH', '', {
      name: 'Renamed',
      permissions: ['voices_read'],
      credit_limit: 9,
    });
    expect(response.headers.get('etag')).toBe('"v2"');
    expect(key(response)).toMatchObject({
      name: 'Renamed',
      permissions: ['voices_read'],
      credits: { limit: 9 },
      receipt: { processes: 1, acknowledged: 1 },
    });
    expect(await call(held.secret)).toBe(403);
    const back = await change(held, 'PATCH', '', { permissions: 'all', credit_limit: null });
    expect(key(back)).toMatchObject({ permissions: 'all', credits: { limit: null } });
    expect(await call(held.secret)).toBe(200);
    expect((await eventsOf(held.id)).slice(1)).toMatchObject([
      {
        action: 'key.edited',
        before: { name: 'A key', permissions: ['models_read'], credit_limit: null },
        after: { name: 'Renamed', permissions: ['voices_read'], credit_limit: 9 },
      },
      { action: 'key.edited', after: { permissions: 'all', credit_limit: null } },
    ]);
  });

  it('a key begins with a list as people write it, notes included, or is not created', async () => {
    const accountId = await stack.openAccount('enterprise');
    const begin = async (allowed_ips_text: string, more: object = {}) => {
      const body = { name: 'Listed', permissions: 'all', reason, allowed_ips_text, ...more };
      return manager.post(`/admin/accounts/${accountId}/api-keys`, body);
    };
    expect((await begin('203.0.113.0/24')).body.code).toBe('feature_not_available');
    await stack.dataSource.query('UPDATE account SET ip_allow_list_enabled = true WHERE id = $1', [
      accountId,
    ]);
    expect(problem(await begin('203.0.113.5/24 # Office')).errors).toMatchObject([
      { pointer: '#/allowed_ips_text', accepted: '203.0.113.0/24' },
    ]);
    expect(problem(await begin('203.0.113.9', { allowed_ips: ['203.0.113.9'] })).errors).toMatchObject([
      { pointer: '#/allowed_ips_text' },
    ]);
    const wide = await begin('20.0.0.0/7');
    expect([wide.status, wide.body.code]).toEqual([409, 'confirmation_required']);
    const { body: none } = await manager.get(`/admin/accounts/${accountId}/api-keys`);
    expect(none.total).toBe(0);

    for (const allowed_ips of [
      ['0.0.0.0/1'],
      Array.from({ length: 100 }, (_, place) => `${place + 20}.0.0.0/8`),
    ]) {
      const array = await begin('', { allowed_ips });
      expect([array.status, array.body.code]).toEqual([409, 'confirmation_required']);
      expect((await begin('', { allowed_ips, confirm: true })).status).toBe(201);
    }

    expect((await begin('20.0.0.0/7', { confirm: true })).status).toBe(201);
    const created = key(await begin('203.0.113.0/24 # Office\n198.51.100.7'));
    const { body: list } = await manager.get(`/admin/api-keys/${created.id}/allowed-ips`);
    expect(list.entries).toMatchObject([
      { cidr: '198.51.100.7/32', note: null },
      { cidr: '203.0.113.0/24', note: 'Office', added_by: expect.any(String) },
    ]);
    expect((await eventsOf(created.id))[0]).toMatchObject({
      action: 'key.created',
      after: { allowed_ips: ['198.51.100.7/32', '203.0.113.0/24'] },
    });
    const fromArray = key(await begin('', { allowed_ips: ['203.0.113.9'] }));
    expect((await manager.get(`/admin/api-keys/${fromArray.id}/allowed-ips`)).body.entries).toMatchObject([
      { cidr: '203.0.113.9/32', added_by: expect.stringContaining('@') },
    ]);
    const free = await begin('');
    expect((await manager.get(`/admin/api-keys/${key(free).id}/allowed-ips`)).body.entries).toBeNull();
  });

  it('an edit that changes nothing leaves version and audit log as they are', async () => {
    const held = await create({ permissions: ['voices_read', 'models_read'] });
    const response = await change(held, 'PATCH', '', { permissions: ['models_read', 'voices_read'] });
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"v1"']);
    expect(await eventsOf(held.id)).toHaveLength(1);
  });

  it('a disabled key is refused from the response on, and says why', async () => {
    const held = await create();
    expect(await call(held.secret)).toBe(200);
    const off = await change(held, 'POST', '/disable', { disable_reason: 'exposed_publicly' });
    expect(key(off)).toMatchObject({
      status: 'disabled',
      disable_reason: 'exposed_publicly',
      receipt: { processes: 1, acknowledged: 1 },
    });
    expect(await call(held.secret)).toBe(401);
    expect(key(await change(held, 'POST', '/enable'))).toMatchObject({
      status: 'enabled',
      disable_reason: null,
      disabled_at: null,
    });
    expect(await call(held.secret)).toBe(200);
  });

  it('rotation: both secrets work and share one balance until the old one is ended early', async () => {
    const held = await create({ credit_limit: 10_000 });
    const rotated = await change(held, 'POST', '/rotate', { overlap_days: 7 });
    expect(rotated.headers.get('cache-control')).toBe('private, no-store');
    const fresh = key(rotated).secret;
    const design = (secret: string) =>
      stack.request('POST', '/v1/text-to-voice/design', {
        secret,
        body: { voice_description: DESCRIPTION, text: TEXT },
      });
    expect((await design(held.secret)).status).toBe(200);
    expect((await design(fresh)).status).toBe(200);
    const seen = await eventually(async () => {
      const now = key(await support.get(`/admin/api-keys/${held.id}`));
      expect(now.secrets.map((secret) => secret.last_used_from)).toEqual(['127.0.0.1', '127.0.0.1']);
      return now;
    });
    expect(seen.credits.used).toBe(2 * TEXT.length);
    expect(seen.secrets).toMatchObject([
      { number: 2, state: 'current', hint: `grk_…${fresh.slice(-4)}`, retires_at: null },
      { number: 1, state: 'retiring', hint: `grk_…${held.secret.slice(-4)}` },
    ]);
    expect(Date.parse(seen.old_secret_retires_at!) - Date.now()).toBeGreaterThan(6.9 * DAY_MS);

    const ended = await change(held, 'POST', '/end-rotation');
    expect(key(ended)).toMatchObject({ old_secret_retires_at: null, receipt: { acknowledged: 1 } });
    expect([await call(held.secret), await call(fresh)]).toEqual([401, 200]);
    expect((await eventsOf(held.id)).map(({ action }) => action)).toEqual([
      'key.created',
      'key.rotated',
      'key.rotation_ended',
    ]);
  });

  it('the clock ends an overlap, even for a secret that is in the cache', async () => {
    const held = await create();
    const overlapMs = 1_500;
    const rotated = await change(held, 'POST', '/rotate', { overlap_days: overlapMs / DAY_MS });
    const endsAt = Date.parse(key(rotated).secrets[1]!.retires_at!);
    expect([await call(held.secret), await call(key(rotated).secret)]).toEqual([200, 200]);
    await eventually(() => expect(Date.now()).toBeGreaterThanOrEqual(endsAt));
    expect([await call(held.secret), await call(key(rotated).secret)]).toEqual([401, 200]);
  });

  it('no request fails during an overlap', async () => {
    const held = await create();
    const old = held.secret;
    const statuses: number[] = [];
    const stop = new AbortController();
    const hammer = async (secret: string) => {
      while (!stop.signal.aborted) statuses.push(await call(secret));
    };
    const clients = [hammer(old), hammer(old)];
    const fresh = key(await change(held, 'POST', '/rotate', { overlap_days: 1 })).secret;
    clients.push(hammer(fresh));
    await eventually(() => expect(statuses.length).toBeGreaterThan(200));
    stop.abort();
    await Promise.all(clients);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await change(held, 'POST', '/end-rotation');
    expect(await call(old)).toBe(401);
  });

  it('rotation without overlap ends every older secret at once', async () => {
    const held = await create();
    const second = key(await change(held, 'POST', '/rotate', { overlap_days: 1 })).secret;
    const third = key(await change(held, 'POST', '/rotate', { overlap_days: 0 })).secret;
    expect([await call(held.secret), await call(second), await call(third)]).toEqual([401, 401, 200]);
  });

  it.each([
    ['a leaked secret stops at once', { cause: 'leaked' }, 401],
    ['and so it does where only the reason says so', { reason: 'Leaked in a public repository' }, 401],
    ['unless an overlap is asked for', { cause: 'leaked', overlap_days: 1 }, 200],
    ['any other works beside the new one for a week', { reason: 'The quarter has ended' }, 200],
  ])('rotation: %s', async (_, body, status) => {
    const held = await create();
    expect((await change(held, 'POST', '/rotate', body)).status).toBe(200);
    expect(await call(held.secret)).toBe(status);
  });

  it('the secret before this one is shown and named as working only while it works', async () => {
    const held = await create();
    await change(held, 'POST', '/rotate', { overlap_days: 7 });
    const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
    const sooner = key(await change(held, 'PATCH', '', { expires_at: expiresAt }));
    expect(sooner.old_secret_retires_at).toBe(expiresAt);
    const working = await change(held, 'POST', '/rotate', { overlap_days: 1 });
    expect(problem(working).detail).toContain(`The secret before this one still works until ${expiresAt}.`);
    await change(held, 'POST', '/disable', { disable_reason: 'unused' });
    const disabled = await change(held, 'POST', '/rotate', { overlap_days: 1 });
    expect([disabled.status, problem(disabled).detail]).toEqual([
      409,
      expect.stringContaining('No secret of this key works now'),
    ]);
  });

  it('a deleted key is refused like an unknown one, and its ledger stays', async () => {
    const held = await create();
    await stack.request('POST', '/v1/text-to-voice/design', {
      secret: held.secret,
      body: { voice_description: DESCRIPTION, text: TEXT },
    });
    const response = await change(held, 'DELETE', '');
    expect(response.body).toMatchObject({ id: held.id, receipt: { acknowledged: 1 } });
    expect(await call(held.secret)).toBe(401);
    expect(await idsOf(`account_id=${held.accountId}`)).toEqual([]);
    const [line] = await stack.dataSource.query<{ amount: string }[]>(
      'SELECT sum(amount) AS amount FROM credit_ledger WHERE key_id = $1',
      [held.id],
    );
    expect(Number(line!.amount)).toBe(TEXT.length);
  });

  it('an increase that ends takes itself back: credits and requests per minute', async () => {
    const held = await create({ credit_limit: 100, requests_per_minute: 60 });
    const revertAt = new Date(Date.now() + 20 * DAY_MS).toISOString();
    const more = { credit_limit: 5_000, requests_per_minute: 600 };
    const raised = await change(held, 'PATCH', '', { ...more, revert_at: revertAt });
    expect(raised.body).toMatchObject({ credits: { limit: 5_000 }, requests_per_minute: 600 });
    expect(
      key(raised)
        .undo.map(({ setting, before, due_at }) => [setting, before, due_at])
        .sort(),
    ).toEqual([
      ['credit_limit', 100, revertAt],
      ['requests_per_minute', 60, revertAt],
    ]);
    for (const bad of [
      { revert_at: new Date(Date.now() - 1_000).toISOString() },
      { revert_at: new Date(Date.now() + 400 * DAY_MS).toISOString() },
      { revert_at: revertAt, undo_after_minutes: 5 },
      { revert_at: 'tomorrow' },
    ])
      expect([bad, (await change(held, 'PATCH', '', { ...more, ...bad })).status]).toEqual([bad, 422]);
    await stack.dataSource.query(`UPDATE key_undo SET due_at = now() WHERE subject_id = $1`, [held.id]);
    const changes = stack.api.get(ApiKeyChangesService);
    for (const setting of ['credit_limit', 'requests_per_minute'] as const)
      await changes.undoIfDue(bySystem('key-undo'), held.id, setting);
    expect((await support.get(`/admin/api-keys/${held.id}`)).body).toMatchObject({
      credits: { limit: 100 },
      requests_per_minute: 60,
    });
  });

  it('a deleted key is seen and restored as it was, with a receipt, until it is removed', async () => {
    const held = await create({ name: 'Back again', tags: ['a'], credit_limit: 77, external_id: 'x-1' });
    const restore = (body: object = {}) =>
      manager.post(`/admin/api-keys/${held.id}/restore`, { reason, ...body }, { 'if-match': '*' });
    expect((await restore()).status).toBe(404);
    await change(held, 'DELETE', '');
    expect(await call(held.secret)).toBe(401);
    expect(await idsOf(`account_id=${held.accountId}&status=deleted`)).toEqual([held.id]);
    const seen = await support.get(`/admin/api-keys/${held.id}`);
    expect(seen.body).toMatchObject({ status: 'deleted', name: 'Back again', tags: ['a'] });
    expect(Date.parse(String(seen.body.removed_after)) - Date.parse(String(seen.body.deleted_at))).toBe(
      30 * DAY_MS,
    );
    expect((await manager.patch(`/admin/api-keys/${held.id}`, { name: 'x', reason }, ANY)).status).toBe(404);
    expect((await support.post(`/admin/api-keys/${held.id}/restore`, { reason }, ANY)).status).toBe(403);
    const restored = await restore();
    expect(restored.body).toMatchObject({
      status: 'enabled',
      credits: { limit: 77 },
      external_id: 'x-1',
      receipt: { acknowledged: 1 },
    });
    expect(restored.body).not.toHaveProperty('deleted_at');
    expect(await call(held.secret)).toBe(200);
    expect((await eventsOf(held.id)).at(-1)).toMatchObject({ action: 'key.restored', reason });

    held.etag = '*';
    await change(held, 'DELETE', '');
    const removeDeleted = () => expiryOf(stack).expire('deleted-keys');
    await removeDeleted();
    expect((await support.get(`/admin/api-keys/${held.id}`)).status).toBe(200);
    await stack.dataSource.query(`UPDATE api_key SET deleted_at = now() - interval '31 days' WHERE id = $1`, [
      held.id,
    ]);
    expect(await removeDeleted()).toMatchObject({ did: { key: 1 } });
    expect(await removeDeleted()).toBe('idle');
    expect([(await restore()).status, await idsOf(`account_id=${held.accountId}&status=deleted`)]).toEqual([
      404,
      [],
    ]);
  });

  it('an exposed key is restored after a warning, disabled as it was; an external id that is taken is refused', async () => {
    const held = await create({ external_id: 'y-1' });
    await change(held, 'POST', '/disable', { disable_reason: 'exposed_publicly' });
    await change(held, 'DELETE', '');
    const restore = (body: object = {}) =>
      manager.post(`/admin/api-keys/${held.id}/restore`, { reason, ...body }, ANY);
    const warned = await restore();
    expect([warned.status, problem(warned).code]).toEqual([409, 'confirmation_required']);
    const other = await create({ external_id: 'y-1' }, held.accountId);
    expect(problem(await restore({ confirm: true })).code).toBe('external_id_in_use');
    await change(other, 'DELETE', '');
    expect((await restore({ confirm: true })).body).toMatchObject({ status: 'disabled' });
    expect(await call(held.secret)).toBe(401);
  });

  it('of 100 edits from one version one succeeds, and 99 are refused as too late', async () => {
    const held = await create();
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, number) =>
        manager.patch(
          `/admin/api-keys/${held.id}`,
          { name: `Edit ${number}`, reason },
          { 'if-match': held.etag },
        ),
      ),
    );
    const won = responses.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const others = responses.filter((response) => response !== won[0]);
    expect(others.filter(({ status }) => status !== 412).map(({ status, body }) => [status, body])).toEqual(
      [],
    );
    expect(others).toHaveLength(99);
    const now = await support.get(`/admin/api-keys/${held.id}`);
    expect(key(now)).toMatchObject({ name: key(won[0]!).name, version: 2 });
    expect(await eventsOf(held.id)).toHaveLength(2);
  });
});

describe('lists', () => {
  it('finds keys by account, name part, id, last four, status, scope, list, use and expiry', async () => {
    const accountId = await stack.openAccount('enterprise');
    const issue = (options: object) => stack.issueKey({ accountId, ...options });
    const reader = await issue({ name: 'Prod Reader', permissions: ['voices_read'] });
    const all = await issue({ name: 'prod all', permissions: 'all' });
    const listed = await issue({ name: 'Ünïcode 100%', allowedIps: ['203.0.113.0/24'], permissions: [] });
    const expiring = await issue({ name: 'x', expiresAt: new Date(Date.now() + DAY_MS), permissions: [] });
    const expired = await issue({ name: 'y', permissions: [] });
    await stack.dataSource.query(`UPDATE api_key SET expires_at = now() - interval '1 day' WHERE id = $1`, [
      expired.keyId,
    ]);
    await stack.dataSource.query(`UPDATE api_key SET disable_reason = 'unused' WHERE id = $1`, [all.keyId]);
    await stack.api
      .get(ApiKeyRepository)
      .markUsed([{ keyId: reader.keyId, secretNumber: 1, at: new Date(), address: '192.0.2.1' }]);

    const of = (query: string) => idsOf(`account_id=${accountId}&sort=created_at&${query}`);
    const everything = [reader, all, listed, expiring, expired].map(({ keyId }) => keyId);
    expect(await of('')).toEqual(everything);
    expect(await of('search=PROD')).toEqual([reader.keyId, all.keyId]);
    expect(await of(`search=${encodeURIComponent('code 100%')}`)).toEqual([listed.keyId]);
    expect(await of(`search=${encodeURIComponent('o_e')}`)).toEqual([]);
    expect(await of('search=X')).toEqual([expiring.keyId]);
    expect(await of(`search=${all.keyId}`)).toEqual([all.keyId]);
    expect(await of(`hint=${reader.secret.slice(-4)}`)).toContain(reader.keyId);
    expect(await of(`hint=${encodeURIComponent(`grk_…${reader.secret.slice(-4)}`)}`)).toContain(reader.keyId);
    expect(await of('status=disabled')).toEqual([all.keyId]);
    expect(await of('status=expired')).toEqual([expired.keyId]);
    expect(await of('status=enabled')).toEqual([reader.keyId, listed.keyId, expiring.keyId]);
    expect(await of('disable_reason=unused')).toEqual([all.keyId]);
    expect(await of('disable_reason=trial_ended')).toEqual([]);
    expect(await of('permission=voices_read')).toEqual([reader.keyId, all.keyId]);
    expect(await of('has_allow_list=true')).toEqual([listed.keyId]);
    expect(await of('has_allow_list=false')).toHaveLength(4);
    await stack.request('GET', '/v1/models', { secret: listed.secret });
    await stack.request('GET', '/v1/models', { secret: expired.secret });
    await stack.api.get(TrafficRecorder).flush();
    expect(await of('list_refused_since=2026-01-01')).toEqual([listed.keyId]);
    expect(await of(`list_refused_since=${new Date(Date.now() + DAY_MS).toISOString()}`)).toEqual([]);
    expect(await of('used_since=2026-01-01')).toEqual([reader.keyId]);
    expect(await of('unused_since=2026-01-01')).toEqual(everything.slice(1));
    const inTwoDays = new Date(Date.now() + 2 * DAY_MS).toISOString();
    expect(await of(`expiring_before=${inTwoDays}`)).toEqual([expiring.keyId]);
    expect(await of('search=prod&permission=voices_read&status=enabled')).toEqual([reader.keyId]);
    const own = await support.get(`/admin/accounts/${accountId}/api-keys?search=prod`);
    expect(page(own)).toMatchObject({ total: 2, total_is_estimate: false });
  });

  it.each(['created_at', 'name', 'expires_at', 'last_used_at'])(
    'pages through every key by %s in both directions, each key once',
    async (sort) => {
      const accountId = await stack.openAccount();
      const ids: string[] = [];
      for (let number = 0; number < 7; number += 1) {
        const expiresAt = number % 3 === 0 ? null : new Date(Date.now() + number * DAY_MS);
        const { keyId } = await stack.issueKey({ accountId, name: `Key ${number % 2}`, expiresAt });
        const at = new Date(Date.now() - number * 1_000);
        if (number % 2 === 0)
          await stack.api
            .get(ApiKeyRepository)
            .markUsed([{ keyId, secretNumber: 1, at, address: '192.0.2.1' }]);
        ids.push(keyId);
      }
      const walk = async (order: string) => {
        const seen: string[] = [];
        let cursor = '';
        do {
          const query = `account_id=${accountId}&sort=${order}&limit=2&cursor=${cursor}`;
          const found = page(await support.get(`/admin/api-keys?${query}`));
          expect(found.total).toBe(7);
          seen.push(...found.items.map(({ id }) => id));
          cursor = found.next_cursor ?? '';
        } while (cursor);
        return seen;
      };
      const up = await walk(sort);
      expect(up.toSorted()).toEqual(ids.toSorted());
      expect(await walk(`-${sort}`)).toEqual(up.toReversed());
    },
  );

  it('the export has every key that matches, and no cell that a spreadsheet would run', async () => {
    const accountId = await stack.openAccount();
    await stack.issueKey({ accountId, name: '=HYPERLINK("http://evil.test")' });
    await stack.issueKey({ accountId, name: '＝HYPERLINK(1)' });
    await stack.issueKey({ accountId, name: 'Quoted "name", with comma' });
    const response = await support.get(`/admin/api-keys/export?account_id=${accountId}`);
    expect(response.headers.get('content-type')).toContain('text/csv');
    expect(response.headers.get('content-disposition')).toContain('api-keys.csv');
    const lines = response.text.trim().split('\r\n');
    expect(lines[0]).toMatch(/^\ufeff?id,account_id,/);
    expect(lines).toHaveLength(4);
    expect(response.text).toContain(`"'=HYPERLINK(""http://evil.test"")"`);
    expect(response.text).toContain(`"'＝HYPERLINK(1)"`);
    expect(response.text).toContain('"Quoted ""name"", with comma"');
    const [event] = await stack.dataSource.query<{ after: object }[]>(
      `SELECT after FROM audit_event WHERE action = 'keys.exported' AND account_id = $1`,
      [accountId],
    );
    expect(event).toMatchObject({ after: { filter: { accountId } } });
  });
});

it('every permission says what it lets a key do, which operations require it, and which services ask for it', async () => {
  const admin = await StaffClient.signedIn(stack, 'admin');
  const service = await admin.post('/admin/service-credentials', { name: 'jingles', reason });
  const { secret: token } = await stack.issueKey({ permissions: ['music_generation'] });
  await stack.request('POST', '/introspect', {
    headers: { authorization: `Bearer ${String(service.body.secret)}` },
    body: { token, scope: 'music_generation' },
  });
  await flushTraffic(stack);
  const { body } = await support.get('/admin/key-permissions');
  const items = body.items as { name: string; description: string }[];
  expect(items.map(({ name }) => name)).toEqual(PERMISSIONS);
  expect(items.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
  const useOf = (requested: string) => items.find(({ name }) => name === requested);
  expect(useOf('models_read')).toMatchObject({ operations: ['GET /v1/models'], services: [] });
  expect(useOf('music_generation')).toMatchObject({ operations: [], services: ['jingles'] });
});

describe('tags and external ids', () => {
  const patch = (path: string, body: object) => manager.patch(path, { ...body, reason }, { 'if-match': '*' });

  it('are set, kept once and in order, shown, exported and audited', async () => {
    const accountId = await stack.openAccount();
    const body = {
      name: 'Filed',
      permissions: 'all',
      tags: ['trial', 'a:b', 'trial'],
      external_id: 'CRM 7',
      reason,
    };
    const made = await manager.post(`/admin/accounts/${accountId}/api-keys`, body);
    expect(made.body).toMatchObject({ tags: ['a:b', 'trial'], external_id: 'CRM 7' });
    const edited = await patch(`/admin/api-keys/${String(made.body.id)}`, { tags: [], external_id: null });
    expect(edited.body).toMatchObject({ tags: [], external_id: null });
    await patch(`/admin/api-keys/${String(made.body.id)}`, { tags: ['x'], external_id: 'CRM 8' });
    const csv = (await manager.get(`/admin/api-keys/export?account_id=${accountId}`)).text;
    expect(csv).toMatch(/,Filed,all,,(,)*x,CRM 8,/);
    const [event] = await stack.dataSource.query<{ before: object; after: object }[]>(
      'SELECT before, after FROM audit_event WHERE target_id = $1 ORDER BY id DESC LIMIT 1',
      [made.body.id],
    );
    expect(event).toMatchObject({ before: { tags: [], external_id: null }, after: { tags: ['x'] } });
  });

  it('every setting is given by staff, shown and exported, whether a holder may disable the key among them', async () => {
    const limits = { requests_per_second: 5, requests_per_minute: 100, requests_per_day: 9_000 };
    const settings = { ...limits, third_party_disable_allowed: false };
    const key = await create(settings);
    expect((await support.get(`/admin/api-keys/${key.id}`)).body).toMatchObject(settings);
    const path = `/admin/api-keys/${key.id}`;
    const edited = await patch(path, { third_party_disable_allowed: true, requests_per_day: null });
    expect(edited.body).toMatchObject({ third_party_disable_allowed: true, requests_per_day: null });
    const { text } = await manager.get(`/admin/api-keys/export?account_id=${key.accountId}`);
    const [names, values] = text.split('\r\n').map((line) => line.split(','));
    const exported = Object.keys(settings).map((name) => values![names!.indexOf(name)]);
    expect(exported).toEqual(['5', '100', '', 'true']);
    const undone = await manager.post(
      `${path}/settings/third_party_disable_allowed/undo`,
      { reason },
      { 'if-match': '*' },
    );
    expect(undone.body).toMatchObject({ third_party_disable_allowed: false });
    const refused = await patch(path, { third_party_disable_allowed: 'maybe' });
    expect(problem(refused).detail).toBe('#/third_party_disable_allowed: should be a valid boolean.');
  });

  it('an external id names one key of an account, and one account', async () => {
    const [first, second] = [await create(), await create()];
    const twin = await manager.post(`/admin/accounts/${first.accountId}/api-keys`, {
      name: 'Twin',
      permissions: 'all',
      reason,
    });
    await patch(`/admin/api-keys/${first.id}`, { external_id: 'one' });
    expect((await patch(`/admin/api-keys/${second.id}`, { external_id: 'one' })).status).toBe(200);
    const taken = await patch(`/admin/api-keys/${String(twin.body.id)}`, { external_id: 'one' });
    expect([taken.status, problem(taken).code]).toEqual([409, 'external_id_in_use']);
    const created = await manager.post(`/admin/accounts/${first.accountId}/api-keys`, {
      name: 'Third',
      permissions: 'all',
      external_id: 'one',
      reason,
    });
    expect([created.status, problem(created).code]).toEqual([409, 'external_id_in_use']);
    expect((await patch(`/admin/accounts/${first.accountId}`, { external_id: 'acc' })).status).toBe(200);
    const other = await patch(`/admin/accounts/${second.accountId}`, { external_id: 'acc' });
    expect([other.status, problem(other).code]).toEqual([409, 'external_id_in_use']);
    // Given again by itself it is no conflict, and a deleted key gives its own back.
    expect((await patch(`/admin/accounts/${first.accountId}`, { external_id: 'acc' })).status).toBe(200);
    await manager.send('DELETE', `/admin/api-keys/${first.id}`, { reason }, { 'if-match': '*' });
    expect((await patch(`/admin/api-keys/${String(twin.body.id)}`, { external_id: 'one' })).status).toBe(200);
  });

  it('of two at once that take the same external id, one gets it', async () => {
    const accountId = await stack.openAccount();
    const keys = await Promise.all([1, 2, 3, 4].map(() => stack.issueKey({ accountId })));
    const statuses = await Promise.all(
      keys.map(
        async ({ keyId }) => (await patch(`/admin/api-keys/${keyId}`, { external_id: 'race' })).status,
      ),
    );
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
  });

  it('narrow the lists of keys and of accounts, with account managers and contacts', async () => {
    const held = await create();
    const other = await create();
    await patch(`/admin/api-keys/${held.id}`, { tags: ['only-here', 'shared'], external_id: 'find-me-key' });
    await patch(`/admin/api-keys/${other.id}`, { tags: ['shared'] });
    await patch(`/admin/accounts/${held.accountId}`, { tags: ['gold'], external_id: 'find-me-account' });
    await manager.send(
      'PUT',
      `/admin/accounts/${held.accountId}/manager`,
      { staff_id: manager.person.id, reason },
      { 'if-match': '*' },
    );
    await stack.asOwner(
      `INSERT INTO contact (id, account_id, name, channel, email, categories)
       VALUES (gen_random_uuid(), $1, 'Grace Hopper', 'email', 'grace@navy.test', '{}')`,
      [held.accountId],
    );
    expect((await idsOf('tag=shared')).toSorted()).toEqual([held.id, other.id].toSorted());
    for (const query of [
      'tag=shared,only-here',
      'external_id=find-me-key',
      'contact=HOPPER',
      'contact=navy.test',
    ])
      expect([query, await idsOf(query)]).toEqual([query, [held.id]]);
    expect(await idsOf(`manager=${manager.person.id}&account_id=${held.accountId}`)).toEqual([held.id]);
    expect(await idsOf(`manager=none&account_id=${held.accountId}`)).toEqual([]);
    for (const query of ['tag=gold', 'external_id=find-me-account', 'contact=grace', 'manager=me&tag=gold']) {
      const { body } = await manager.get(`/admin/accounts?${query}`);
      expect([query, (body.items as { id: string }[]).map(({ id }) => id)]).toEqual([
        query,
        [held.accountId],
      ]);
    }
    for (const [text, kind, id] of [
      ['find-me-key', 'key', held.id],
      ['find-me-account', 'account', held.accountId],
    ] as const) {
      const { body } = await manager.get(`/admin/search?q=${text}`);
      expect(body.items).toContainEqual(expect.objectContaining({ kind, id }));
    }
  });

  it.each([
    { tags: ['Upper'] },
    { tags: ['two words'] },
    { tags: Array.from({ length: 21 }, (_, number) => `t${number}`) },
    { external_id: '' },
    { external_id: 'x'.repeat(101) },
    { external_id: 'line\nbreak' },
  ])('422 for %j, on keys and accounts', async (body) => {
    const { id, accountId } = await create();
    expect((await patch(`/admin/api-keys/${id}`, body)).status).toBe(422);
    expect((await patch(`/admin/accounts/${accountId}`, body)).status).toBe(422);
  });
});

describe('bulk disable', () => {
  it('disables what was counted and typed, once, with one receipt, and audits which keys', async () => {
    const accountId = await stack.openAccount();
    const keys = [];
    for (let number = 0; number < 3; number += 1) keys.push(await stack.issueKey({ accountId }));
    const other = await stack.issueKey();
    const query = `account_id=${accountId}&unused_since=2026-06-01`;
    const path = `/admin/bulk-key-changes?${query}`;
    const edit = { action: 'disable', disable_reason: 'trial_ended' };
    const preview = await manager.post(`/admin/bulk-key-changes/dry-run?${query}`, edit);
    expect(preview.body).toEqual({ count: 3, changes: 3, left_alone: [], confirm: '3' });
    const body = { action: 'disable', disable_reason: 'trial_ended', reason: 'End of the campaign' };
    const wrong = await manager.post(path, { ...body, confirm: '4' });
    expect([wrong.status, problem(wrong).code]).toEqual([409, 'selection_changed']);
    // Not by a call: a key that is used is no longer unused.
    const enabled = await manager.get(`/admin/api-keys?account_id=${accountId}&status=enabled`);
    expect(enabled.body.items).toHaveLength(3);

    const done = await manager.post(path, { ...body, confirm: '3' });
    expect(done.body).toMatchObject({ changed: 3, receipt: { processes: 1, acknowledged: 1 } });
    expect(await Promise.all(keys.map(({ secret }) => call(secret)))).toEqual([401, 401, 401]);
    expect(await call(other.secret)).toBe(200);
    const again = await manager.post(`/admin/bulk-key-changes/dry-run?account_id=${accountId}`, edit);
    expect(again.body).toMatchObject({ changes: 0, left_alone: [{ because: 'already', keys: 3 }] });
    const events = await stack.dataSource.query<{ after: { key_ids: string[] } }[]>(
      `SELECT after, reason FROM audit_event WHERE action = 'keys.disabled' AND account_id = $1`,
      [accountId],
    );
    expect(events).toMatchObject([{ reason: 'End of the campaign' }]);
    expect(events[0]!.after.key_ids.toSorted()).toEqual(keys.map(({ keyId }) => keyId).toSorted());
    const history = await manager.get(`/admin/audit-log?target=${keys[1]!.keyId}`);
    expect((history.body.items as { action: string }[])[0]).toMatchObject({ action: 'keys.disabled' });
    const others = await manager.get(`/admin/audit-log?target=${other.keyId}`);
    expect(JSON.stringify(others.body)).not.toContain('keys.disabled');
  });

  it('422 without any condition: leaving something out never disables every key', async () => {
    const body = { action: 'disable', disable_reason: 'unused', reason, confirm: '1' };
    expect((await manager.post('/admin/bulk-key-changes', body)).status).toBe(422);
    expect((await manager.post('/admin/bulk-key-changes/dry-run', body)).status).toBe(422);
  });
});

describe('403', () => {
  it('support reads keys and changes none; ops does not see them', async () => {
    const held = await create();
    const ops = await StaffClient.signedIn(stack, 'ops');
    expect((await ops.get('/admin/api-keys')).status).toBe(403);
    for (const [method, path] of [
      ['POST', `/admin/accounts/${held.accountId}/api-keys`],
      ['PATCH', `/admin/api-keys/${held.id}`],
      ['POST', `/admin/api-keys/${held.id}/disable`],
      ['POST', `/admin/api-keys/${held.id}/rotate`],
      ['DELETE', `/admin/api-keys/${held.id}`],
      ['POST', `/admin/bulk-key-changes?account_id=${held.accountId}`],
    ] as const) {
      expect([path, (await support.send(method, path, { reason })).status]).toEqual([path, 403]);
    }
    expect(await call(held.secret)).toBe(200);
  });

  it('a list for an account without the entitlement', async () => {
    const accountId = await stack.openAccount('enterprise');
    const body = { name: 'n', permissions: 'all', allowed_ips: ['203.0.113.9'], reason };
    const response = await manager.post(`/admin/accounts/${accountId}/api-keys`, body);
    expect([response.status, problem(response).code]).toEqual([403, 'feature_not_available']);
    expect(await idsOf(`account_id=${accountId}`)).toEqual([]);
  });
});

describe('404', () => {
  it('an unknown key, an unknown account, and texts that are not ids', async () => {
    for (const path of [
      `/admin/api-keys/${randomUUID()}`,
      '/admin/api-keys/nonsense',
      `/admin/accounts/${randomUUID()}/api-keys`,
      '/admin/accounts/nonsense/api-keys',
    ]) {
      expect([path, (await support.get(path)).status]).toEqual([path, 404]);
    }
  });
});

describe('409', () => {
  it('a closed account gets no key; its keys can be disabled and deleted, nothing else', async () => {
    const held = await create();
    await stack.dataSource.query(`UPDATE account SET status = 'closed' WHERE id = $1`, [held.accountId]);
    const body = { name: 'n', permissions: 'all', reason };
    const created = await manager.post(`/admin/accounts/${held.accountId}/api-keys`, body);
    expect([created.status, problem(created).code]).toEqual([409, 'account_closed']);
    expect((await change(held, 'PATCH', '', { name: 'x' })).status).toBe(409);
    expect((await change(held, 'POST', '/rotate', { overlap_days: 1 })).status).toBe(409);
    expect((await change(held, 'POST', '/disable', { disable_reason: 'unused' })).status).toBe(200);
    expect((await change(held, 'POST', '/enable')).status).toBe(409);
    expect((await change(held, 'DELETE', '')).status).toBe(200);
  });

  it('a second rotation during an overlap, and ending a rotation that there is not', async () => {
    const held = await create();
    const none = await change(held, 'POST', '/end-rotation');
    expect([none.status, problem(none).code]).toEqual([409, 'no_old_secret']);
    await change(held, 'POST', '/rotate', { overlap_days: 30 });
    const second = await change(held, 'POST', '/rotate', { overlap_days: 1 });
    expect([second.status, problem(second).code]).toEqual([409, 'rotation_in_progress']);
    expect(await call(held.secret)).toBe(200);
  });
});

it('409 for the rotation of an expired key, whose new secret would not work', async () => {
  const held = await create();
  await stack.dataSource.query(`UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE id = $1`, [
    held.id,
  ]);
  const refused = await change(held, 'POST', '/rotate', { overlap_days: 7 });
  expect([refused.status, problem(refused).code]).toEqual([409, 'key_expired']);
  expect(key(await support.get(`/admin/api-keys/${held.id}`))).toMatchObject({
    old_secret_retires_at: null,
    version: 1,
  });
});

describe('a key that a file of keys manages', () => {
  it('is edited and deleted there only; it can be disabled here, and an administrator releases it', async () => {
    const held = await create();
    await stack.dataSource.query('UPDATE api_key SET managed_by = $2 WHERE id = $1', [held.id, 'acme']);
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'x' }],
      ['PUT', '/allowed-ips', { text: '192.0.2.1', confirm: true }],
      ['DELETE', '', {}],
    ] as const) {
      const response = await change({ ...held }, method, path, body);
      expect([response.status, problem(response).code]).toEqual([409, 'managed_by_file']);
      expect(problem(response).detail).toContain('"acme"');
    }
    expect((await change(held, 'POST', '/disable', { disable_reason: 'unused' })).status).toBe(200);
    const refused = await change(held, 'POST', '/release');
    expect([refused.status, problem(refused).code]).toEqual([403, 'staff_permission_missing']);
    const admin = await StaffClient.signedIn(stack, 'admin');
    const { body, headers } = await admin.get(`/admin/api-keys/${held.id}`);
    expect(body).toMatchObject({ managed_by: 'acme' });
    const released = await admin.post(
      `/admin/api-keys/${held.id}/release`,
      { reason },
      { 'if-match': headers.get('etag')! },
    );
    expect([released.status, key(released).managed_by]).toEqual([200, null]);
    held.etag = released.headers.get('etag')!;
    expect((await change(held, 'PATCH', '', { name: 'x' })).status).toBe(200);
  });
});

describe('412 and 428', () => {
  it('a change from yesterday, and one that does not say from when', async () => {
    const held = await create();
    const yesterday = { ...held };
    await change(held, 'PATCH', '', { name: 'Today' });
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'x' }],
      ['POST', '/disable', { disable_reason: 'unused' }],
      ['POST', '/rotate', { overlap_days: 0 }],
      ['DELETE', '', {}],
    ] as const) {
      const response = await change({ ...yesterday }, method, path, body);
      expect([response.status, problem(response).code]).toEqual([412, 'precondition_failed']);
    }
    const without = await manager.patch(`/admin/api-keys/${held.id}`, { name: 'x', reason });
    expect(without.status).toBe(428);
    expect(await call(held.secret)).toBe(200);
  });
});

describe('422', () => {
  it.each([
    [{ permissions: ['read_voices'] }, '#/permissions/0', 'voices_read'],
    [{ credit_limit: 0.5 }, '#/credit_limit', undefined],
    [{ expires_at: '2020-01-01' }, '#/expires_at', undefined],
    [{ allowed_ips: ['10.0.0.5/8'] }, '#/allowed_ips/0', '10.0.0.0/8'],
    [{ allowed_ips: [] }, '#/allowed_ips', undefined],
    [{ reason: 'x' }, '#/reason', undefined],
  ])(
    '%j names the field, the value and what is accepted, and creates nothing',
    async (wrong, pointer, accepted) => {
      const accountId = await stack.openAccount('enterprise');
      const body = { name: 'n', permissions: 'all', reason, ...wrong };
      const response = await manager.post(`/admin/accounts/${accountId}/api-keys`, body);
      expect(response.status).toBe(422);
      expect(problem(response).errors).toMatchObject([
        { pointer, ...(accepted !== undefined && { accepted }) },
      ]);
      expect(problem(response).errors![0]).toHaveProperty('message');
      expect(await idsOf(`account_id=${accountId}`)).toEqual([]);
    },
  );

  it('a reason that is not on the list, an overlap that is too long', async () => {
    const held = await create();
    const off = await change(held, 'POST', '/disable', { disable_reason: 'because' });
    expect(problem(off).errors).toMatchObject([
      { pointer: '#/disable_reason', accepted: expect.stringContaining('trial_ended') as unknown },
    ]);
    for (const overlap_days of [31, -1, '7']) {
      const response = await change(held, 'POST', '/rotate', { overlap_days });
      expect(problem(response).errors).toMatchObject([{ pointer: '#/overlap_days' }]);
    }
    expect(await eventsOf(held.id)).toHaveLength(1);
  });

  it('the last four of a secret find its key as a part of its name does', async () => {
    const { accountId, keyId, secret } = await stack.issueKey();
    const named = await stack.issueKey({ accountId, name: `is called ${secret.slice(-4)} too` });
    await stack.issueKey({ accountId });
    for (const search of [secret.slice(-4), `…${secret.slice(-4)}`, `grk_…${secret.slice(-4)}`]) {
      const found = await idsOf(
        `account_id=${accountId}&search=${encodeURIComponent(search)}&sort=created_at`,
      );
      expect([search, found]).toEqual([search, search.length === 4 ? [keyId, named.keyId] : [keyId]]);
    }
  });

  it('a whole secret in an address, without repeating it', async () => {
    const { secret } = await stack.issueKey();
    const response = await support.get(`/admin/api-keys?search=${secret}`);
    expect(response.status).toBe(422);
    expect(response.text).not.toContain(secret);
  });

  it.each([
    'hint=abc',
    'account_id=1',
    'status=dead',
    'permission=everything',
    'used_since=now',
    'sort=secret',
    'status=enabled&status=disabled',
  ])('?%s', async (query) => {
    const response = await support.get(`/admin/api-keys?${query}`);
    expect(response.status).toBe(422);
    expect(problem(response).errors).toMatchObject([{ parameter: query.split('=')[0] }]);
  });
});

describe('findings', () => {
  const findingsOf = async ({ id }: Held) => {
    const { body } = await support.get(`/admin/api-keys/${id}/findings`);
    return (body.items as { kind: string; accepted: object | null }[]).map(({ kind, accepted }) => [
      kind,
      accepted !== null,
    ]);
  };
  const openIn = async (accountId: string) => {
    const { body } = await support.get(`/admin/accounts/${accountId}/key-safety`);
    const cards = body.cards as { kind: string; open: number }[];
    return [body.score, cards.filter(({ open }) => open > 0).map(({ kind }) => kind)];
  };
  const listed = async (kind: string, accountId: string) =>
    page(await support.get(`/admin/api-keys?finding=${kind}&account_id=${accountId}`)).total;
  const check = async () => {
    while (await stack.api.get(KeySafetyWatchService, { strict: false }).check());
  };

  it('say that a page has sent the secret, and nothing of a program or a token', async () => {
    const [program, inPage, withToken] = [await create(), await create(), await create()];
    const read = async ({ secret }: Held, headers: Record<string, string> = {}) =>
      stack.request('GET', '/v1/models', { secret, headers });
    const origin = { origin: 'https://shop.test' };
    await Promise.all([read(program), read(inPage, origin), read(withToken)]);
    const { body } = await stack.request('POST', '/v1/single-use-token/text_to_voice_design', {
      secret: withToken.secret,
    });
    const design = `/v1/text-to-voice/design?single_use_token=${String(body.token)}`;
    const designed = await stack.request('POST', design, { body: designBody(), headers: origin });
    expect(designed.status).toBe(200);
    await stack.api.get(TrafficRecorder).flush();
    await check();
    const found = await Promise.all([program, inPage, withToken].map(findingsOf));
    const isFound = (of: unknown[][]) => of.some(([kind]) => kind === 'used_in_browser');
    expect(found.map(isFound)).toEqual([false, true, false]);
    const { body: listing } = await support.get(`/admin/api-keys/${inPage.id}/findings`);
    expect(JSON.stringify(listing.items)).toContain('A page of https://shop.test sent its secret on');
  });

  it('resolve themselves when the key is changed, and are not open while they are accepted', async () => {
    const held = await create();
    await check();
    expect(await findingsOf(held)).toEqual([
      ['never_expires', false],
      ['no_credit_limit', false],
    ]);
    expect(await openIn(held.accountId)).toEqual([80, ['never_expires', 'no_credit_limit']]);
    await change(held, 'PATCH', '', { credit_limit: 1_000 });
    await check();
    expect(await openIn(held.accountId)).toEqual([90, ['never_expires']]);
    const until = new Date(Date.now() + 30 * DAY_MS).toISOString();
    const accepted = await change(held, 'POST', '/findings/never_expires/accept', { until });
    expect([accepted.status, accepted.body.items]).toMatchObject([200, [{ accepted: { until, reason } }]]);
    expect(await openIn(held.accountId)).toEqual([100, []]);
    expect(await listed('never_expires', held.accountId)).toBe(0);
    await change(held, 'POST', '/findings/never_expires/reopen');
    expect(await listed('never_expires', held.accountId)).toBe(1);
    expect((await eventsOf(held.id)).map(({ action }) => action).slice(-2)).toEqual([
      'key.finding_accepted',
      'key.finding_reopened',
    ]);
  });

  it('are counted for the accounts of one manager', async () => {
    const member = await StaffClient.signedIn(stack, 'account_manager');
    const held = await create();
    await check();
    const open = async (manager: string) => {
      const { body } = await member.get(`/admin/key-safety?manager=${manager}`);
      const cards = body.cards as { kind: string; open: number }[];
      return cards.filter((card) => card.open > 0).map((card) => [card.kind, card.open]);
    };
    expect(await open('me')).toEqual([]);
    const path = `/admin/accounts/${held.accountId}/manager`;
    const body = { staff_id: member.person.id, reason };
    const changed = await member.send('PUT', path, body, { 'if-match': '*' });
    expect(changed.status).toBe(200);
    expect(await open('me')).toEqual([
      ['never_expires', 1],
      ['no_credit_limit', 1],
    ]);
    expect(await open(member.person.id)).toEqual(await open('me'));
    expect((await member.get('/admin/key-safety/accounts?manager=me')).body.total).toBeLessThanOrEqual(1);
    for (const list of ['', '/accounts'])
      expect((await member.get(`/admin/key-safety${list}?manager=nobody`)).status).toBe(422);
  });

  it('are refused an acceptance without an end, for ever, or of what was not found', async () => {
    const held = await create();
    await check();
    for (const until of [undefined, '2001-01-01T00:00:00Z', '2999-01-01T00:00:00Z']) {
      const refused = await change(held, 'POST', '/findings/never_expires/accept', { until });
      expect(problem(refused).errors).toMatchObject([{ pointer: '#/until' }]);
    }
    const until = new Date(Date.now() + DAY_MS).toISOString();
    for (const kind of ['idle', 'everything'])
      expect(problem(await change(held, 'POST', `/findings/${kind}/accept`, { until })).code).toBe(
        'finding_not_found',
      );
    expect(problem(await change(held, 'POST', '/findings/never_expires/reopen')).code).toBe(
      'finding_not_found',
    );
    const asSupport = await support.post(`/admin/api-keys/${held.id}/findings/never_expires/accept`, {
      until,
      reason,
    });
    expect(asSupport.status).toBe(403);
  });
});

describe('key policies', () => {
  const RULES = {
    max_lifetime_days: 90,
    rotation_age_days: null,
    idle_warn_days: null,
    idle_disable_days: null,
  };
  const ofAccount = (accountId: string) => `/admin/accounts/${accountId}/key-policy`;
  const policies = async () => {
    const { body } = await support.get('/admin/key-policies');
    return body.items as { tier: string | null; account_id: string | null; account_name: string | null }[];
  };

  /** As if the key had been created, and used last, so many days ago. */
  const age = async ({ id }: Held, days: number) => {
    for (const [table, column] of [
      ['api_key', 'id'],
      ['api_key_secret', 'key_id'],
    ])
      await stack.asOwner(
        `UPDATE ${table} SET created_at = now() - make_interval(days => $2) WHERE ${column} = $1`,
        [id, days],
      );
  };

  it('of a tier are set by an administrator, of an account by its managers, and read by who reads keys', async () => {
    const admin = await StaffClient.signedIn(stack, 'admin');
    const ops = await StaffClient.signedIn(stack, 'ops');
    const accountId = await stack.openAccount('pro');
    const set = (staff: StaffClient, path: string) =>
      staff.send('PUT', path, { ...RULES, reason }, ANY_VERSION);
    const tier = '/admin/key-policies/business';
    const codes = [];
    for (const [staff, path] of [
      [support, ofAccount(accountId)],
      [manager, tier],
      [ops, tier],
    ] as const)
      codes.push(problem(await set(staff, path)).code);
    expect(codes).toEqual(Array(3).fill('staff_permission_missing'));
    expect((await ops.get('/admin/key-policies')).status).toBe(403);
    expect(await policies()).toEqual([]);

    expect([(await set(admin, tier)).status, (await set(manager, ofAccount(accountId))).status]).toEqual([
      200, 200,
    ]);
    expect(await policies()).toMatchObject([
      { tier: 'business', account_id: null, max_lifetime_days: 90 },
      { tier: null, account_id: accountId, account_name: expect.any(String) as string },
    ]);
    expect(await eventsOf('business')).toMatchObject([
      { action: 'key_policy.saved', after: { max_lifetime_days: 90 }, reason },
    ]);
    for (const [staff, path] of [
      [admin, tier],
      [manager, ofAccount(accountId)],
    ] as const) {
      expect((await staff.send('DELETE', path, { reason }, ANY_VERSION)).status).toBe(204);
      expect(problem(await staff.send('DELETE', path, { reason }, ANY_VERSION)).code).toBe(
        'key_policy_not_found',
      );
    }
    expect(await policies()).toEqual([]);
  });

  it('are refused with the field that is wrong, and change nothing', async () => {
    const admin = await StaffClient.signedIn(stack, 'admin');
    const accountId = await stack.openAccount('pro');
    const cases: [object, string][] = [
      [{ ...RULES, max_lifetime_days: 0 }, '#/max_lifetime_days'],
      [{ ...RULES, idle_disable_days: 5 }, '#/idle_disable_days'],
      [{ ...RULES, rotation_age_days: 'ninety' }, '#/rotation_age_days'],
    ];
    for (const [rules, pointer] of cases) {
      const path = ofAccount(accountId);
      for (const refused of [
        await manager.send('PUT', path, { ...rules, reason }, ANY_VERSION),
        await manager.post(`${path}/dry-run`, rules),
      ])
        expect([refused.status, problem(refused).errors]).toMatchObject([422, [{ pointer }]]);
    }
    const unknown = await admin.post('/admin/key-policies/gold/dry-run', RULES);
    expect(problem(unknown).detail).toContain("There is no tier 'gold'.");
    const nowhere = ofAccount('00000000-0000-4000-8000-000000000000');
    expect(problem(await manager.post(`${nowhere}/dry-run`, RULES)).code).toBe('account_not_found');
    const unsaved = await manager.post(
      `${ofAccount(accountId)}/apply`,
      { confirm: '0', reason },
      ANY_VERSION,
    );
    expect(problem(unsaved).code).toBe('key_policy_not_found');
    expect((await support.get(ofAccount(accountId))).body).toEqual({ policy: null });
  });

  it('are tried, saved, and applied to as many keys as were confirmed, all of which come back', async () => {
    const old = await create({ name: 'old' });
    const young = await create({ name: 'young' }, old.accountId);
    await age(old, 400);
    const path = ofAccount(old.accountId);
    const tried = await support.post(`${path}/dry-run`, { ...RULES, grace_days: 7 });
    expect(tried.body).toMatchObject({
      keys: 2,
      shortened: 2,
      older_already: 1,
      first: [{ id: old.id, expires_at: null }, { id: young.id }],
    });
    await manager.send('PUT', path, { ...RULES, reason }, ANY_VERSION);
    expect(key(await support.get(`/admin/api-keys/${old.id}`)).expires_at).toBeNull();
    const apply = (confirm: string) =>
      manager.post(`${path}/apply`, { grace_days: 7, confirm, reason }, ANY_VERSION);
    expect(problem(await apply('3')).code).toBe('selection_changed');
    const { body } = await apply('2');
    expect(body).toMatchObject({ shortened: 2, receipt: { processes: 1, acknowledged: 1 } });
    const expiry = Date.parse(key(await support.get(`/admin/api-keys/${old.id}`)).expires_at!);
    expect(Math.round((expiry - Date.now()) / DAY_MS)).toBe(7);
    await manager.post(`/admin/bulk-key-changes/${String(body.change_id)}/undo`, { reason });
    expect(key(await support.get(`/admin/api-keys/${old.id}`)).expires_at).toBeNull();
  });

  it('disable an idle key after the warning, and one request brings it back', async () => {
    const held = await create();
    await age(held, 200);
    const rules = { ...RULES, max_lifetime_days: null, idle_warn_days: 90, idle_disable_days: 14 };
    const path = ofAccount(held.accountId);
    expect((await support.post(`${path}/dry-run`, rules)).body).toMatchObject({ keys: 1, idle: 1 });
    await manager.send('PUT', path, { ...rules, reason }, ANY_VERSION);
    const check = () => stack.api.get(IdleKeysService, { strict: false }).check();
    await check();
    expect(key(await support.get(`/admin/api-keys/${held.id}`)).status).toBe('enabled');
    await stack.asOwner(
      `UPDATE idle_key SET warned_at = now() - interval '30 days', disables_at = now() WHERE key_id = $1`,
      [held.id],
    );
    await check();
    expect(key(await support.get(`/admin/api-keys/${held.id}`))).toMatchObject({
      status: 'disabled',
      disable_reason: 'idle',
    });
    expect(await call(held.secret)).toBe(401);
    const enabled = await manager.post(`/admin/api-keys/${held.id}/enable`, { reason }, { 'if-match': '*' });
    expect(enabled.status).toBe(200);
    await check();
    expect(await call(held.secret)).toBe(200);
  });
});
