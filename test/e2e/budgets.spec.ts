import { randomUUID } from 'node:crypto';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import type { JsonBody, IssuedKey } from '../support/stack';
import { Stack } from '../support/stack';
import { issueServiceCredential } from '../support/ledger-storm';
import { designBody } from '../support/samples';
import { StaffClient, type StaffResponse } from '../support/staff-client';

let stack: Stack;
let manager: StaffClient;
let support: StaffClient;
let service: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  manager = await StaffClient.signedIn(stack, 'account_manager');
  support = await StaffClient.signedIn(stack, 'support');
  service = await issueServiceCredential(stack.api);
});

afterAll(async () => {
  await stack.stop();
});

const reason = 'A test';
const DAILY = { name: 'Daily', amount: 100, window: 'day' };

const pathOf = ({ accountId }: Pick<IssuedKey, 'accountId'>, budget?: JsonBody) =>
  `/admin/accounts/${accountId}/budgets${budget ? `/${String(budget.id)}` : ''}`;

const add = (key: Pick<IssuedKey, 'accountId'>, body: object = {}): Promise<StaffResponse> =>
  manager.post(pathOf(key), { ...DAILY, reason, ...body });

async function added(key: Pick<IssuedKey, 'accountId'>, body: object = {}): Promise<JsonBody> {
  const response = await add(key, body);
  expect([response.status, response.body]).toEqual([201, expect.anything()]);
  return response.body;
}

const versionOf = ({ version }: JsonBody) => ({ 'if-match': `"v${String(version)}"` });

const edit = (key: IssuedKey, budget: JsonBody, body: object, headers = versionOf(budget)) =>
  manager.patch(pathOf(key, budget), { reason, ...body }, headers);

const list = async (key: IssuedKey) => (await support.get(pathOf(key))).body.items as JsonBody[];

const charge = ({ keyId, accountId }: IssuedKey, cost: number) =>
  stack.api.get(CreditLedger).charge({ keyId, accountId, cost, operation: 'test', requestId: randomUUID() });

async function introspect(key: IssuedKey, cost?: number, more: object = {}): Promise<JsonBody> {
  const headers = { authorization: `Bearer ${service}` };
  const body = { token: key.secret, cost, request_id: randomUUID(), ...more };
  return (await stack.request('POST', '/introspect', { body, headers })).body;
}

describe('200', () => {
  it('a budget is added, listed with what is used and left and when it renews, edited and deleted, with its audit events', async () => {
    const key = await stack.issueKey();
    const budget = await added(key, { time_zone: 'Europe/Berlin' });
    expect(budget).toMatchObject({
      ...DAILY,
      subject: 'account',
      key_id: null,
      tag: null,
      time_zone: 'Europe/Berlin',
      used: 0,
      left: 100,
      warning: null,
    });
    await charge(key, 30);
    expect(await list(key)).toEqual([expect.objectContaining({ used: 30, left: 70 })]);
    expect(Date.parse(String(budget.renews_at)) - Date.now()).toBeLessThanOrEqual(25 * 3_600_000);

    const edited = await edit(key, budget, { name: 'Every day', amount: 40 });
    expect([edited.status, edited.body]).toMatchObject([200, { name: 'Every day', amount: 40, left: 10 }]);
    const deleted = await manager.send('DELETE', pathOf(key, budget), { reason }, versionOf(edited.body));
    expect(deleted.status).toBe(204);
    expect(await list(key)).toEqual([]);
    expect(await charge(key, 200)).toMatchObject({ charged: true });
    const admin = await StaffClient.signedIn(stack, 'admin');
    const { body } = await admin.get(`/admin/audit-log?account_id=${key.accountId}`);
    const actions = (body.items as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['budget.created', 'budget.edited', 'budget.deleted']));
  });

  it('an amount below what is used says that everything is refused until the budget renews', async () => {
    const key = await stack.issueKey();
    const budget = await added(key);
    await charge(key, 60);
    const { body } = await edit(key, budget, { amount: 50 });
    expect(body).toMatchObject({ used: 60, left: 0 });
    expect(body.warning).toBe(
      `60 credits are used of 50: every charge is refused until ${String(body.renews_at)}.`,
    );
    expect(await charge(key, 1)).toMatchObject({ charged: false });
  });

  it('budgets of a key and of a tag count what theirs spend', async () => {
    const key = await stack.issueKey({ tags: ['team'] });
    const other = await stack.issueKey({ accountId: key.accountId });
    await added(key, { name: 'a key', key_id: key.keyId });
    await added(key, { name: 'a tag', tag: 'team', window: 'month' });
    await added(key, { name: 'all', window: 'billing_period' });
    await charge(key, 3);
    await charge(other, 4);
    expect((await list(key)).map(({ name, used }) => [name, used])).toEqual([
      ['a key', 3],
      ['a tag', 3],
      ['all', 7],
    ]);
  });

  it('each end user has a budget separately: one that has nothing left is refused, the others and the account are not', async () => {
    const key = await stack.issueKey();
    const budget = await added(key, { name: 'Each', amount: 10, subject: 'end_user' });
    expect(budget).toMatchObject({ subject: 'end_user', key_id: null, tag: null, left: null, warning: null });
    const chargeFor = (cost: number, endUser?: string) => introspect(key, cost, { end_user: endUser });
    const ofAnn = [expect.objectContaining({ name: 'Each', used: 6, left: 4 })];
    expect(await chargeFor(6, 'ann')).toMatchObject({ active: true, credits_remaining: 4, budgets: ofAnn });
    expect(await introspect(key, undefined, { end_user: 'ann' })).toMatchObject({
      credits_remaining: 4,
      budgets: ofAnn,
    });
    const explain = async (endUser: string) => {
      const query = { address: '203.0.113.9', method: 'GET', path: '/v1/models', cost: 5, end_user: endUser };
      const { body } = await support.post(`/admin/api-keys/${key.keyId}/explain`, query);
      return (body.gates as { gate: string }[]).find(({ gate }) => gate === 'credits');
    };
    expect(await explain('ann')).toMatchObject({
      passed: false,
      rule: expect.stringContaining("the budget 'Each' has 4 of 10 per day"),
    });
    expect(await explain('eve')).toMatchObject({ passed: true });
    expect(await chargeFor(5, 'ann')).toMatchObject({
      active: false,
      code: 'budget_spent',
      message: expect.stringContaining(
        "the budget 'Each' of 10 credits per day. You have 4 credits remaining",
      ),
    });
    expect(await chargeFor(10, 'bob')).toMatchObject({ active: true, credits_remaining: 0 });
    expect(await chargeFor(99)).toMatchObject({ active: true });
    expect(await list(key)).toEqual([expect.objectContaining({ used: 16, left: null, warning: null })]);
    const lowered = await edit(key, budget, { amount: 5 });
    expect([lowered.status, lowered.body]).toMatchObject([200, { left: null, warning: null }]);
  });

  it('a budget for some operations refuses only charges for them, and says so before', async () => {
    const key = await stack.issueKey();
    const operations = ['text_to_speech', 'design', 'design'];
    const budget = await added(key, { amount: 10, operations });
    expect(budget.operations).toEqual(['design', 'text_to_speech']);
    const chargeAs = (operation: string, cost?: number) => introspect(key, cost, { operation });
    expect(await chargeAs('design', 6)).toMatchObject({ active: true, budgets: [{ left: 4 }] });
    expect(await chargeAs('design')).toMatchObject({ credits_remaining: 4 });
    expect(await chargeAs('text_to_speech', 5)).toMatchObject({ active: false, code: 'budget_spent' });
    expect(await chargeAs('other', 50)).not.toHaveProperty('budgets');
    const explain = async (operation?: string) => {
      const query = { address: '203.0.113.9', method: 'GET', path: '/v1/models', cost: 5, operation };
      const { body } = await support.post(`/admin/api-keys/${key.keyId}/explain`, query);
      return (body.gates as { gate: string; passed: boolean }[]).find(({ gate }) => gate === 'credits')
        ?.passed;
    };
    expect([await explain('design'), await explain('other'), await explain()]).toEqual([false, true, true]);
    for (const wrong of [[], ['Not one'], 'design', Array.from({ length: 21 }, (_, index) => `o${index}`)])
      expect([wrong, (await add(key, { name: 'x', operations: wrong })).status]).toEqual([wrong, 422]);
  });

  it('a charge that a budget refuses is explained, and introspection names the budget', async () => {
    const key = await stack.issueKey();
    const { renews_at: renewsAt } = await added(key, { amount: 10 });
    expect(await introspect(key, 4)).toMatchObject({ active: true, credits_remaining: 6 });
    const daily = { name: 'Daily', window: 'day', amount: 10, used: 4, left: 6, renews_at: renewsAt };
    expect(await introspect(key, 7)).toMatchObject({
      active: false,
      gate: 'credits',
      code: 'budget_spent',
      status: 402,
      message: `This request exceeds the budget 'Daily' of 10 credits per day. You have 6 credits remaining in it, while 7 credits are required for this request. The budget renews at ${String(renewsAt)}.`,
      credits_remaining: 6,
      credit_limit: 10,
      cost: 7,
      budgets: [daily],
    });
    const query = { address: '203.0.113.9', method: 'GET', path: '/v1/models', cost: 7 };
    const { body } = await support.post(`/admin/api-keys/${key.keyId}/explain`, query);
    const gates = body.gates as { gate: string }[];
    expect(gates.find(({ gate }) => gate === 'credits')).toMatchObject({
      passed: false,
      refusal: { code: 'budget_spent', status: 402 },
      rule: expect.stringContaining("the budget 'Daily' has 6 of 10 per day"),
      change: `Raise the budget 'Daily' by 1, or wait until ${String(renewsAt)}.`,
    });
  });
});

describe('a dry run', () => {
  const tryOn = (key: Pick<IssuedKey, 'accountId'>, body: object = {}) =>
    support.post(`${pathOf(key)}/dry-run`, { amount: 100, window: 'day', ...body });

  it('says how many charges of the last days a budget would have refused, and adds none', async () => {
    const key = await stack.issueKey({ tags: ['team'] });
    const other = await stack.issueKey({ accountId: key.accountId });
    for (const cost of [60, 60, 30]) await charge(key, cost);
    await charge(other, 100);
    const { status, body } = await tryOn(key);
    expect([status, body]).toEqual([200, { days: 30, charges: 4, would_refuse: 2, partly_archived: false }]);
    expect((await tryOn(key, { tag: 'team' })).body).toMatchObject({ charges: 3, would_refuse: 1 });
    expect((await tryOn(key, { key_id: other.keyId })).body).toMatchObject({ charges: 1, would_refuse: 0 });
    expect((await tryOn(key, { operations: ['another'] })).body).toMatchObject({ charges: 0 });
    expect((await tryOn(key, { subject: 'end_user' })).body).toMatchObject({ charges: 0 });
    expect((await tryOn(key, { amount: 300, window: 'month' })).body).toMatchObject({ would_refuse: 0 });
    expect(await list(key)).toEqual([]);
  });

  it('says when charges of these days are archived', async () => {
    const key = await stack.issueKey();
    const close = (period: string) =>
      stack.asOwner(
        `INSERT INTO ledger_closing (subject_id, period_start, account_id, month, used, granted, lines)
         VALUES ($1, now() - $2::interval, $1, now(), 1, 0, 1)`,
        [key.accountId, period],
      );
    await close('62 days');
    expect((await tryOn(key)).body).toMatchObject({ partly_archived: false });
    await close('59 days');
    expect((await tryOn(key)).body).toMatchObject({ partly_archived: true });
  });

  it.each([
    ['time_zone', { time_zone: 'Mars/Olympus' }, 422],
    ['tag', { tag: 'unused' }, 422],
    ['amount', { amount: 0 }, 422],
    ['API key', { key_id: randomUUID() }, 404],
  ])('is refused for a wrong %s, as the budget would be', async (field, body, status) => {
    const response = await tryOn(await stack.issueKey(), body);
    expect([response.status, JSON.stringify(response.body)]).toEqual([
      status,
      expect.stringContaining(field),
    ]);
  });

  it('of an unknown account is 404', async () => {
    expect((await tryOn({ accountId: randomUUID() })).status).toBe(404);
  });
});

describe('budgets of an introspection', () => {
  it('are those that the key counts for, after the charge', async () => {
    const key = await stack.issueKey({ tags: ['team'] });
    const other = await stack.issueKey({ accountId: key.accountId });
    await added(key, { name: 'a key', key_id: other.keyId });
    await added(key, { name: 'all', window: 'billing_period' });
    const { renews_at } = await added(key, { name: 'team', tag: 'team', amount: 10, window: 'month' });
    const team = { name: 'team', window: 'month', amount: 10, used: 4, left: 6, renews_at };
    const all = expect.objectContaining({ name: 'all', used: 4, left: 96 });
    expect((await introspect(key, 4)).budgets).toEqual([all, team]);
    expect((await introspect(key)).budgets).toEqual([all, team]);
  });

  it('are not less than nothing, and absent without any', async () => {
    const key = await stack.issueKey();
    expect([await introspect(key), await introspect(key, 60)]).toEqual(
      Array.from({ length: 2 }, () => expect.not.objectContaining({ budgets: expect.anything() })),
    );
    const budget = await added(key);
    expect((await introspect(key, 60)).budgets).toMatchObject([{ used: 60, left: 40 }]);
    await edit(key, budget, { amount: 50 });
    expect((await introspect(key)).budgets).toMatchObject([{ amount: 50, used: 60, left: 0 }]);
  });
});

describe('402', () => {
  it('a request of a customer names the budget, its window and when it renews, and when to retry', async () => {
    const key = await stack.issueKey();
    await added(key, { amount: 150 });
    await charge(key, 100);
    const body = designBody();
    const refused = await stack.request('POST', '/v1/text-to-voice/design', { secret: key.secret, body });
    expect([refused.status, refused.body.detail]).toMatchObject([
      402,
      { type: 'payment_required', code: 'budget_spent', status: 'quota_exceeded' },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
  });

  it('a request for an end user whose budget is spent is refused, and one for another end user is not', async () => {
    const key = await stack.issueKey();
    await added(key, { amount: 150, subject: 'end_user' });
    const body = designBody();
    const design = async (endUser: string) => {
      const headers = { 'x-end-user': endUser };
      const request = { secret: key.secret, body, headers };
      return (await stack.request('POST', '/v1/text-to-voice/design', request)).status;
    };
    expect([await design('ann'), await design('ann'), await design('bob')]).toEqual([200, 402, 200]);
  });
});

describe('400', () => {
  it('an account has at most 20 budgets, and a key 8', async () => {
    const key = await stack.issueKey();
    for (let index = 0; index < 8; index++) await added(key, { name: `key ${index}`, key_id: key.keyId });
    expect((await add(key, { name: 'one more', key_id: key.keyId })).body).toMatchObject({
      code: 'budget_limit_reached',
      detail: 'A key has at most 8 budgets, and this one has 8. Delete one first.',
    });
    for (let index = 8; index < 20; index++) await added(key, { name: `account ${index}` });
    const refused = await add(key, { name: 'one more' });
    expect([refused.status, refused.body.code]).toEqual([400, 'budget_limit_reached']);
    expect(await list(key)).toHaveLength(20);
  });
});

describe('403', () => {
  it('who only reads accounts does not change a budget', async () => {
    const key = await stack.issueKey();
    const budget = await added(key);
    const responses = await Promise.all([
      support.post(pathOf(key), { ...DAILY, reason }),
      support.patch(pathOf(key, budget), { amount: 1, reason }, versionOf(budget)),
      support.send('DELETE', pathOf(key, budget), { reason }, versionOf(budget)),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
  });
});

describe('404', () => {
  it.each([
    ['an unknown account', () => add({ accountId: randomUUID() })],
    ['an account whose id is none', () => add({ accountId: 'none' })],
    ['an unknown key', async () => add(await stack.issueKey(), { key_id: randomUUID() })],
    ['a key whose id is none', async () => add(await stack.issueKey(), { key_id: 'none' })],
    [
      'a key of another account',
      async () => add(await stack.issueKey(), { key_id: (await stack.issueKey()).keyId }),
    ],
    [
      'an unknown budget',
      async () => edit(await stack.issueKey(), { id: randomUUID(), version: 1 }, { amount: 1 }),
    ],
    [
      'a budget whose id is none',
      async () => edit(await stack.issueKey(), { id: 'none', version: 1 }, { amount: 1 }),
    ],
    [
      'a budget of another account',
      async () => edit(await stack.issueKey(), await added(await stack.issueKey()), { amount: 1 }),
    ],
  ])('%s', async (_, request) => {
    expect((await request()).status).toBe(404);
  });
});

describe('409', () => {
  it('two budgets of an account have different names', async () => {
    const key = await stack.issueKey();
    const first = await added(key);
    const second = await added(key, { name: 'Other' });
    for (const response of [await add(key), await edit(key, second, { name: 'Daily' })])
      expect([response.status, response.body.code]).toEqual([409, 'budget_name_taken']);
    expect((await edit(key, first, { name: 'Daily' })).status).toBe(200);
  });
});

describe('412 and 428', () => {
  it('a change names the version that it was made from', async () => {
    const key = await stack.issueKey();
    const budget = await added(key);
    await edit(key, budget, { amount: 5 });
    expect((await edit(key, budget, { amount: 6 })).status).toBe(412);
    expect((await manager.patch(pathOf(key, budget), { amount: 6, reason })).status).toBe(428);
  });
});

describe('422', () => {
  it.each([
    ['amount', { amount: 0 }],
    ['amount', { amount: 2 ** 53 }],
    ['window', { window: 'year' }],
    ['time_zone', { time_zone: 'Mars/Olympus' }],
    ['time_zone', { time_zone: '+02:00' }],
    ['time_zone', { window: 'billing_period', time_zone: 'Europe/Berlin' }],
    ['tag', { tag: 'not used by any key' }],
    ['tag', { tag: 'unused' }],
    ['tag', { tag: 'team', key_id: randomUUID() }],
    ['subject', { subject: 'tag' }],
    ['subject', { subject: 'end_user', tag: 'team' }],
    ['subject', { subject: 'account', tag: 'team' }],
    ['reason', { reason: '' }],
  ])('%s of %j', async (field, body) => {
    const key = await stack.issueKey({ tags: ['team'] });
    const response = await add(key, body);
    expect([response.status, JSON.stringify(response.body)]).toEqual([422, expect.stringContaining(field)]);
    expect(await list(key)).toEqual([]);
  });
});
