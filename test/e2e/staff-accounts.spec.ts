import { randomUUID } from 'node:crypto';
import type {
  AccountResponse,
  AccountDetailResponse,
  ListedAccountResponse,
} from '../../apps/api/src/accounts/staff-account.dto';
import type { Page } from '../../apps/api/src/http/pagination';
import type { Problem } from '../../apps/api/src/http/problem-json';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { TIERS } from '../../libs/domain/accounts/tiers';
import { Stack } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';

const stack = Stack.ofFile({ worker: false });
const manager = StaffClient.ofFile(stack, 'account_manager');
const support = StaffClient.ofFile(stack, 'support');

const detail = (response: StaffResponse) => response.body as unknown as AccountDetailResponse;
const page = (response: StaffResponse) => response.body as unknown as Page<AccountResponse>;
const problem = (response: StaffResponse) => response.body as unknown as Problem;
const reason = 'A test';

async function open(body: object = {}): Promise<{ id: string; etag: string }> {
  const response = await manager.post('/admin/accounts', { name: 'Acme', tier: 'creator', reason, ...body });
  expect(response.status).toBe(201);
  return { id: detail(response).id, etag: response.headers.get('etag')! };
}

async function change(
  account: { id: string; etag: string },
  method: string,
  path: string,
  body: object,
): Promise<StaffResponse> {
  const response = await manager.send(
    method,
    `/admin/accounts/${account.id}${path}`,
    { reason, ...body },
    { 'if-match': account.etag },
  );
  account.etag = response.headers.get('etag') ?? account.etag;
  return response;
}

async function eventsOf(accountId: string): Promise<Record<string, unknown>[]> {
  return stack.dataSource.query(
    'SELECT action, actor_name, before, after, reason FROM audit_event WHERE target_id = $1 ORDER BY id',
    [accountId],
  );
}

describe('200', () => {
  it('an account gets what its tier gives, and what it uses is seen at a glance', async () => {
    const { id } = await open({ name: 'Glance Ltd' });
    await stack.issueKey({ accountId: id });
    const disabled = await stack.issueKey({ accountId: id });
    await stack.dataSource.query(`UPDATE api_key SET disable_reason = 'unused' WHERE id = $1`, [
      disabled.keyId,
    ]);
    await stack.dataSource.query('UPDATE credit_balance SET used = 1234 WHERE subject_id = $1', [id]);
    const response = await support.get(`/admin/accounts/${id}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('etag')).toBe('"v1"');
    expect(detail(response)).toMatchObject({
      id,
      name: 'Glance Ltd',
      tier: 'creator',
      status: 'active',
      usage: {
        credits: { used: 1234, limit: TIERS.creator.credits },
        voices: { used: 0, limit: TIERS.creator.voiceSlots },
        keys: { total: 2, enabled: 1, with_allow_list: 0 },
      },
    });
    const { period_start, period_end } = detail(response).usage.credits;
    expect(Date.parse(period_end) - Date.parse(period_start)).toBeGreaterThan(27 * 86_400_000);
  });

  it('another tier moves the limits in effect at once, overrides win over it and null gives back to it', async () => {
    const account = await open({ voice_limit: 7 });
    const up = detail(await change(account, 'PATCH', '', { tier: 'pro', credit_limit: 42 }));
    expect(up.usage).toMatchObject({ credits: { limit: 42 }, voices: { limit: 7 } });
    expect(up.limits.concurrency).toEqual({ limit: TIERS.pro.concurrency, override: null });
    expect(up.receipt).toMatchObject({ acknowledged: 1, processes: 1 });
    const back = detail(await change(account, 'PATCH', '', { credit_limit: null, voice_limit: null }));
    expect(back.usage).toMatchObject({
      credits: { limit: TIERS.pro.credits },
      voices: { limit: TIERS.pro.voiceSlots },
    });
    const none = detail(await change(account, 'PATCH', '', { concurrency_limit: 0 }));
    expect(none.limits.concurrency).toEqual({ limit: 0, override: 0 });
    const [balance] = await stack.dataSource.query<{ credit_limit: string }[]>(
      'SELECT credit_limit FROM credit_balance WHERE subject_id = $1',
      [account.id],
    );
    expect(Number(balance!.credit_limit)).toBe(TIERS.pro.credits);
  });

  it('suspending stops every key of the account from the response on, reactivating admits them again', async () => {
    const account = await open();
    const { secret } = await stack.issueKey({ accountId: account.id });
    const call = async () => (await stack.request('GET', '/v1/models', { secret })).status;
    expect(await call()).toBe(200);
    const suspended = detail(await change(account, 'POST', '/suspend', { reason: 'Unpaid invoice' }));
    expect(suspended).toMatchObject({ status: 'suspended', receipt: { processes: 1, acknowledged: 1 } });
    expect(await call()).toBe(401);
    await change(account, 'POST', '/reactivate', {});
    expect(await call()).toBe(200);
    expect(await eventsOf(account.id)).toMatchObject([
      { action: 'account.created', actor_name: manager.person.email },
      {
        action: 'account.suspended',
        before: { status: 'active' },
        after: { status: 'suspended' },
        reason: 'Unpaid invoice',
      },
      { action: 'account.reactivated' },
    ]);
  });

  it('the entitlement of IP allow-lists says who switched it, when and why; off, lists stay enforced', async () => {
    const account = await open({ tier: 'enterprise' });
    const put = (enabled: boolean) =>
      change(account, 'PUT', '/ip-allow-list-entitlement', { enabled, reason: 'Contract 77' });
    const on = detail(await put(true)).ip_allow_list;
    expect(on).toMatchObject({
      enabled: true,
      accepts_new_lists: true,
      changed_by: manager.person.email,
      reason: 'Contract 77',
    });
    expect(Date.now() - Date.parse(on.changed_at!)).toBeLessThan(10_000);
    const keys = `/admin/accounts/${account.id}/api-keys`;
    const body = { name: 'listed', permissions: 'all', allowed_ips: ['203.0.113.0/24'], reason };
    const listed = await manager.post(keys, body);
    expect(listed.status).toBe(201);
    const secret = String(listed.body.secret);
    expect((await stack.request('GET', '/v1/models', { secret })).status).toBe(403);

    expect(detail(await put(false))).toMatchObject({
      ip_allow_list: { enabled: false, accepts_new_lists: false },
      usage: { keys: { with_allow_list: 1 } },
    });
    expect((await stack.request('GET', '/v1/models', { secret })).status).toBe(403);
    expect((await manager.post(keys, body)).status).toBe(403);
  });

  it('an account manager is assigned, seen, searched by, audited, and taken off', async () => {
    const account = await open({ name: 'Managed Ltd' });
    const other = await open({ name: 'Managed by none' });
    const { id: managerId, name, email } = (await manager.get('/admin/me')).body;
    const listed = (await support.get('/admin/account-managers')).body as { items: { id: string }[] };
    expect(listed.items).toContainEqual({ id: managerId, name, email, disabled: false });
    const assigned = await change(account, 'PUT', '/manager', { staff_id: managerId });
    expect([assigned.status, detail(assigned)]).toMatchObject([
      200,
      { manager: { id: managerId, name, email, disabled: false }, version: 2 },
    ]);
    const found = async (client: StaffClient, query: string) =>
      page(await client.get(`/admin/accounts?search=Managed&${query}`)).items.map(({ id }) => id);
    expect(await found(manager, 'manager=me')).toEqual([account.id]);
    expect(await found(support, 'manager=me')).toEqual([]);
    expect(await found(support, `manager=${String(managerId)}`)).toEqual([account.id]);
    expect(await found(support, 'manager=none')).toEqual([other.id]);
    expect(detail(await change(account, 'PUT', '/manager', { staff_id: managerId })).version).toBe(2);
    expect(detail(await change(account, 'PUT', '/manager', { staff_id: null })).manager).toBeNull();
    expect(await eventsOf(account.id)).toMatchObject([
      { action: 'account.created' },
      { action: 'account.manager_assigned', before: { manager: null }, after: { manager: email }, reason },
      { action: 'account.manager_removed', before: { manager: email }, after: { manager: null } },
    ]);
  });

  it('an account manager who has left is still shown, and cannot be assigned again', async () => {
    const account = await open();
    const left = await StaffClient.signedIn(stack, 'account_manager');
    const staffId = String((await left.get('/admin/me')).body.id);
    await change(account, 'PUT', '/manager', { staff_id: staffId });
    await stack.asOwner('UPDATE staff_auth.member SET disabled_at = now() WHERE id = $1', [staffId]);
    expect(detail(await support.get(`/admin/accounts/${account.id}`)).manager).toMatchObject({
      id: staffId,
      disabled: true,
    });
    const again = await open();
    expect((await change(again, 'PUT', '/manager', { staff_id: staffId })).status).toBe(422);
  });

  it('an account that leaves the tier loses the entitlement, keeps its lists, and does not get it back by returning', async () => {
    const account = await open({ tier: 'enterprise' });
    await change(account, 'PUT', '/ip-allow-list-entitlement', { enabled: true });
    const { secret } = await stack.issueKey({ accountId: account.id, allowedIps: ['203.0.113.0/24'] });
    expect(detail(await change(account, 'PATCH', '', { tier: 'pro' })).ip_allow_list.enabled).toBe(false);
    expect((await stack.request('GET', '/v1/models', { secret })).status).toBe(403);
    const back = detail(await change(account, 'PATCH', '', { tier: 'enterprise' }));
    expect(back.ip_allow_list).toMatchObject({ enabled: false, accepts_new_lists: false });
  });

  it('finds accounts by part of the name, whatever its case, by id, tier and status', async () => {
    const mark = randomUUID().slice(0, 8);
    const first = await open({ name: `Nordlicht ${mark} GmbH` });
    const second = await open({ name: `100%_${mark}`, tier: 'scale' });
    await change(second, 'POST', '/suspend', {});
    const ids = async (query: string) =>
      page(await support.get(`/admin/accounts?${query}`)).items.map(({ id }) => id);
    expect(await ids(`search=nordLICHT%20${mark}`)).toEqual([first.id]);
    expect(await ids(`search=${first.id}`)).toEqual([first.id]);
    expect(await ids(`search=${mark}&tier=scale`)).toEqual([second.id]);
    expect(await ids(`search=${mark}&status=suspended`)).toEqual([second.id]);
    expect(await ids(`search=${encodeURIComponent('100%_')}`)).toContain(second.id);
    expect(await ids(`search=${encodeURIComponent('1__%')}`)).toEqual([]);
    expect(await ids(`search=${mark}&sort=name`)).toEqual([second.id, first.id]);
    expect(await ids(`search=${mark}&sort=-name`)).toEqual([first.id, second.id]);
    await stack.dataSource.query('UPDATE credit_balance SET used = 1 WHERE subject_id = $1', [second.id]);
    expect(await ids(`search=${mark}&sort=-credit_share`)).toEqual([second.id, first.id]);
    const { next_cursor } = page(
      await support.get(`/admin/accounts?search=${mark}&sort=-credit_share&limit=1`),
    );
    expect(await ids(`search=${mark}&sort=-credit_share&limit=1&cursor=${next_cursor}`)).toEqual([first.id]);
  });

  it('finds accounts that run out, are refused, or whose webhooks fail, with grants counted', async () => {
    const mark = randomUUID().slice(0, 8);
    const ids = async (query: string) =>
      page(await support.get(`/admin/accounts?search=${mark}&${query}`)).items.map(({ id }) => id);
    const calm = await open({ name: `Calm ${mark}`, credit_limit: 1_000_000 });
    const out = await open({ name: `Out ${mark}`, credit_limit: 100 });
    const soon = await open({ name: `Soon ${mark}`, credit_limit: 1_000 });
    const granted = await open({ name: `Granted ${mark}`, credit_limit: 100 });
    const keys = new Map<string, string>();
    for (const [account, cost] of [
      [calm, 100],
      [out, 100],
      [soon, 300],
      [granted, 100],
    ] as const) {
      const { keyId } = await stack.issueKey({ accountId: account.id });
      keys.set(account.id, keyId);
      const charge = { keyId, accountId: account.id, operation: 'text_to_voice_design', requestId: keyId };
      await stack.api.get(CreditLedger).charge({ ...charge, cost });
    }
    await stack.dataSource.query(
      `UPDATE credit_balance SET period_end = period_anchor + interval '1 month' WHERE account_id = $1`,
      [granted.id],
    );
    await change(granted, 'POST', '/credits', { kind: 'grant', amount: 900_000 });
    await stack.dataSource.query(
      `INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
       SELECT $1, date_trunc('hour', now()), 'POST /x', '192.0.2.1', o, 7, now(), now() FROM unnest('{served,credits,ip}'::text[]) o`,
      [keys.get(out.id)],
    );
    await stack.dataSource.query(
      `INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint, failing_since)
       VALUES ($1, $2, 'x', 'https://example.com', '{quota.reached}', '', '', now())`,
      [randomUUID(), soon.id],
    );
    expect(await ids('sort=lasts')).toEqual([out.id, soon.id, ...[calm.id, granted.id].sort()]);
    expect(await ids('runs_out_within_days=31&sort=lasts')).toEqual([out.id, soon.id]);
    expect(await ids('runs_out_within_days=1')).toEqual([out.id]);
    expect(await ids('min_credits_percent=100')).toEqual([out.id]);
    expect(await ids('refused=true')).toEqual([out.id]);
    expect(await ids('webhooks_failing=true')).toEqual([soon.id]);
    expect(await ids('sort=-refused_requests&limit=1')).toEqual([out.id]);
    const { next_cursor } = page(await support.get(`/admin/accounts?search=${mark}&sort=lasts&limit=1`));
    expect(await ids(`sort=lasts&limit=1&cursor=${next_cursor}`)).toEqual([soon.id]);
    const [first] = page(await support.get(`/admin/accounts?search=${out.id}`))
      .items as ListedAccountResponse[];
    expect(first!.standing).toMatchObject({
      credits: { used: 100, limit: 100 },
      key_expires_at: null,
      refused_requests: 14,
      failing_webhooks: 0,
    });
    expect(first!.standing.credits.by_day).toEqual([...Array<number>(13).fill(0), 100]);
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    await stack.dataSource.query('UPDATE api_key SET expires_at = $2 WHERE id = $1', [
      keys.get(out.id),
      expiresAt,
    ]);
    const [expiring] = page(await support.get(`/admin/accounts?search=${out.id}`))
      .items as ListedAccountResponse[];
    expect(expiring!.standing.key_expires_at).toBe(expiresAt);
    expect(Date.parse(expiring!.standing.credits.period_start)).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(first!.standing.credits.runs_out_at!)).toBeLessThanOrEqual(Date.now() + 1_000);
    const forecast = await support.get(`/admin/accounts/${soon.id}/usage/forecast`);
    const [second] = page(await support.get(`/admin/accounts?search=${soon.id}`))
      .items as ListedAccountResponse[];
    const runsOutAt = (forecast.body as unknown as { runs_out_at: string }).runs_out_at;
    expect(Math.abs(Date.parse(second!.standing.credits.runs_out_at!) - Date.parse(runsOutAt))).toBeLessThan(
      60_000,
    );
  });

  it('pages through all of a list in a stable order, with its total', async () => {
    const mark = randomUUID().slice(0, 8);
    for (let number = 0; number < 5; number += 1) await open({ name: `${mark} same name` });
    const seen: string[] = [];
    let cursor = '';
    do {
      const response = await support.get(`/admin/accounts?search=${mark}&sort=name&limit=2&cursor=${cursor}`);
      const { items, next_cursor, total } = page(response);
      expect(total).toBe(5);
      seen.push(...items.map(({ id }) => id));
      cursor = next_cursor ?? '';
    } while (cursor);
    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
  });

  it('an edit that changes nothing leaves version and audit log as they are', async () => {
    const account = await open({ name: 'Same' });
    const response = await change(account, 'PATCH', '', { name: 'Same', tier: 'creator' });
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"v1"']);
    expect(await eventsOf(account.id)).toHaveLength(1);
  });
});

describe('403', () => {
  it('the entitlement below enterprise', async () => {
    const account = await open({ tier: 'business' });
    const response = await change(account, 'PUT', '/ip-allow-list-entitlement', { enabled: true });
    expect(response.status).toBe(403);
    expect(problem(response)).toMatchObject({
      code: 'feature_not_available',
      errors: [{ pointer: '#/enabled', message: expect.stringContaining('enterprise') as unknown }],
    });
  });

  it('support reads and does not change', async () => {
    const { id, etag } = await open();
    const response = await support.post(`/admin/accounts/${id}/suspend`, { reason }, { 'if-match': etag });
    expect(response.status).toBe(403);
    expect(detail(await support.get(`/admin/accounts/${id}`)).status).toBe('active');
  });
});

describe('404', () => {
  it('an unknown id, and a text that is none', async () => {
    for (const id of [randomUUID(), 'nonsense', '%00', `'%20OR%201=1`]) {
      const response = await support.get(`/admin/accounts/${id}`);
      expect(response.status).toBe(404);
      expect(problem(response).code).toMatch(/not_found$/);
    }
  });
});

describe('409', () => {
  it('a closed account is not changed any more', async () => {
    const account = await open();
    expect((await change(account, 'POST', '/close', {})).status).toBe(200);
    for (const path of ['/reactivate', '/suspend', '/close']) {
      const response = await change(account, 'POST', path, {});
      expect([response.status, problem(response).code]).toEqual([409, 'account_closed']);
    }
    expect((await change(account, 'PATCH', '', { name: 'Other' })).status).toBe(409);
  });
});

describe('412 and 428', () => {
  it('a change from a version that is not current, or from none', async () => {
    const account = await open();
    const stale = { ...account };
    await change(account, 'PATCH', '', { name: 'New name' });
    const response = await change(stale, 'PATCH', '', { name: 'Lost update' });
    expect([response.status, problem(response).code]).toEqual([412, 'precondition_failed']);
    const without = await manager.patch(`/admin/accounts/${account.id}`, { name: 'x', reason });
    expect(without.status).toBe(428);
    expect(detail(await manager.get(`/admin/accounts/${account.id}`)).name).toBe('New name');
  });
});

describe('422', () => {
  it.each([
    [{ name: '' }, '#/name'],
    [{ tier: 'platinum' }, '#/tier'],
    [{ credit_limit: -1 }, '#/credit_limit'],
    [{ reason: undefined }, '#/reason'],
  ])('%j names the field and what is accepted, and opens nothing', async (wrong, pointer) => {
    const name = randomUUID();
    const response = await manager.post('/admin/accounts', { name, tier: 'free', reason, ...wrong });
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(problem(response).errors).toMatchObject([{ pointer }]);
    expect(page(await manager.get(`/admin/accounts?search=${name}`)).total).toBe(0);
  });

  it('a field or a filter that does not exist, naming those that do', async () => {
    const name = randomUUID();
    const body = { name, tier: 'free', reason, credit_limt: 5 };
    const response = await manager.post('/admin/accounts', body);
    expect(response.status).toBe(422);
    expect(problem(response).errors).toEqual([
      {
        pointer: '#/credit_limt',
        given: 5,
        accepted: expect.stringMatching(/^one of the fields .*credit_limit, .*name, reason, tags, tier/),
        message: expect.stringMatching(/^should be one of the fields/),
      },
    ]);
    expect(page(await manager.get(`/admin/accounts?search=${name}`)).total).toBe(0);
    const filter = await manager.get('/admin/accounts?stauts=closed');
    expect([filter.status, problem(filter).errors?.[0]]).toMatchObject([422, { parameter: 'stauts' }]);
  });

  it('an account manager who may not change accounts, or does not exist; a filter by none of them', async () => {
    const account = await open();
    const supporter = (await support.get('/admin/me')).body.id;
    for (const staffId of [supporter, randomUUID(), 'nonsense', 5]) {
      const response = await change(account, 'PUT', '/manager', { staff_id: staffId });
      expect([staffId, response.status]).toEqual([staffId, 422]);
      expect(problem(response).errors).toMatchObject([{ pointer: '#/staff_id' }]);
    }
    expect((await support.get('/admin/accounts?manager=nobody')).status).toBe(422);
    const body = { staff_id: null, reason };
    const path = `/admin/accounts/${account.id}/manager`;
    expect((await support.send('PUT', path, body, { 'if-match': '*' })).status).toBe(403);
  });

  it('a cursor of another list, of another filter, and an invented one', async () => {
    await open({ name: 'cursor one' });
    await open({ name: 'cursor two' });
    const { next_cursor } = page(await support.get('/admin/accounts?search=cursor&limit=1'));
    const forge = (position: unknown[]) => {
      const [name, print] = JSON.parse(Buffer.from(next_cursor!, 'base64url').toString()) as string[];
      return Buffer.from(JSON.stringify([name, print, ...position])).toString('base64url');
    };
    const uuid = randomUUID();
    for (const path of [
      `/admin/api-keys?search=cursor&cursor=${next_cursor}`,
      `/admin/accounts?search=other&cursor=${next_cursor}`,
      `/admin/accounts?search=cursor&sort=name&cursor=${next_cursor}`,
      `/admin/accounts?search=cursor&cursor=${forge(['2026-02-30 00:00:00+00', uuid])}`,
      `/admin/accounts?search=cursor&cursor=${forge(['yesterday', uuid])}`,
      `/admin/accounts?search=cursor&cursor=${forge(['2026-01-30 00:00:00+00', 'x'])}`,
      `/admin/accounts?search=cursor&cursor=${forge([1, null])}`,
    ]) {
      const response = await support.get(path);
      expect([path, response.status, problem(response).code]).toEqual([path, 400, 'invalid_cursor']);
    }
  });
});
