import { randomUUID } from 'node:crypto';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { eventually } from '../support/eventually';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';

const stack = Stack.ofFile({ worker: false });
const manager = StaffClient.ofFile(stack, 'account_manager');
const support = StaffClient.ofFile(stack, 'support');

const charge = ({ keyId, accountId }: IssuedKey, cost: number, operation = 'test', holdSecs?: number) =>
  stack.api
    .get(CreditLedger)
    .charge({ keyId, accountId, cost, operation, requestId: randomUUID(), holdSecs });

const credits = async ({ accountId }: IssuedKey) =>
  (await support.get(`/admin/accounts/${accountId}/credits`)).body;

const ledger = async ({ accountId }: IssuedKey, query = '') => {
  const { status, body } = await support.get(`/admin/accounts/${accountId}/ledger${query}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as { items: Record<string, unknown>[]; total: number; next_cursor: string | null };
};

const move = (accountId: string, body: object, ifMatch = '*'): Promise<StaffResponse> =>
  manager.post(
    `/admin/accounts/${accountId}/credits`,
    { reason: 'A test', ...body },
    { 'if-match': ifMatch },
  );

describe('credits', () => {
  it('are shown with what is granted, used, held and left, for the account and its keys, and ledger and balances agree', async () => {
    const key = await stack.issueKey({ creditLimit: 100, tier: 'free' });
    await charge(key, 18);
    await charge(key, 30, 'test', 60);
    await move(key.accountId, { kind: 'grant', amount: 50, key_id: key.keyId });
    const { credit_limit: limit, ...body } = await credits(key);
    expect(body).toMatchObject({
      account_id: key.accountId,
      granted: 50,
      used: 48,
      held: 30,
      remaining: Number(limit) + 2,
      keys: [{ key_id: key.keyId, credit_limit: 100, granted: 50, used: 48, held: 30, remaining: 102 }],
      past_periods: [],
      archived: null,
      reconciliation: { balanced: true, checked: 2, breaches: [] },
    });
    expect(await charge(key, 102)).toMatchObject({ charged: true, remaining: 0 });
    expect(await charge(key, 1)).toMatchObject({ charged: false, scope: 'key', creditLimit: 150 });
  });

  it('a grant ends with its period, which stays in the past ones', async () => {
    const key = await stack.issueKey({ tier: 'free' });
    await move(key.accountId, { kind: 'grant', amount: 7 });
    for (const [table, columns, ofAccount] of [
      [
        'ledger_line',
        ['period_start'],
        'account = (SELECT number FROM credit_balance WHERE subject_id = $1)',
      ],
      ['credit_balance', ['period_anchor', 'period_start', 'period_end'], 'account_id = $1'],
    ] as const) {
      const older = columns.map((name) => `${name} = ${name} - interval '40 days'`).join();
      await stack.asOwner(`UPDATE ${table} SET ${older} WHERE ${ofAccount}`, [key.accountId]);
    }
    expect(await credits(key)).toMatchObject({ granted: 0, past_periods: [] });
    await charge(key, 1);
    expect(await credits(key)).toMatchObject({
      granted: 0,
      used: 1,
      past_periods: [{ granted: 7, used: 0 }],
      reconciliation: { balanced: true },
    });
  });

  it('an adjustment corrects what was used, within what was used and what is left', async () => {
    const key = await stack.issueKey({ creditLimit: 100, tier: 'free' });
    await charge(key, 40);
    await charge(key, 10, 'test', 60);
    const adjust = (amount: number) => move(key.accountId, { kind: 'adjustment', amount, key_id: key.keyId });
    expect((await adjust(15)).body).toMatchObject({ used: 35, reconciliation: { balanced: true } });
    expect((await adjust(-5)).body).toMatchObject({ used: 40 });
    for (const amount of [31, -61]) {
      const { status, body } = await adjust(amount);
      expect([status, body.code, body.detail]).toEqual([
        409,
        'adjustment_out_of_range',
        `An amount of ${amount} does not fit: from -60 to 30 is accepted for this key now.`,
      ]);
    }
    expect(await credits(key)).toMatchObject({ used: 40, reconciliation: { balanced: true } });
  });

  it('a change needs the newest version, is audited with its reason, and support may not make it', async () => {
    const key = await stack.issueKey();
    const grant = { kind: 'grant', amount: 5 };
    const { headers } = await support.get(`/admin/accounts/${key.accountId}/credits`);
    const etag = headers.get('etag')!;
    const first = await move(key.accountId, grant, etag);
    expect([first.status, first.body.receipt]).toEqual([200, expect.objectContaining({ acknowledged: 1 })]);
    expect((await move(key.accountId, grant, etag)).status).toBe(412);
    const path = `/admin/accounts/${key.accountId}/credits`;
    expect((await manager.post(path, { ...grant, reason: 'A test' })).status).toBe(428);
    expect((await support.post(path, { ...grant, reason: 'A test' }, { 'if-match': '*' })).status).toBe(403);
    expect(await credits(key)).toMatchObject({ granted: 5 });
    const events = await stack.dataSource.query<object[]>(
      'SELECT action, after, reason FROM audit_event WHERE target_id = $1',
      [key.accountId],
    );
    expect(events).toEqual([
      {
        action: 'credits.grant',
        after: { amount: 5, key_id: null, credits_left: 100_005 },
        reason: 'A test',
      },
    ]);
  });

  it.each([
    ['kind', { kind: 'gift', amount: 1 }],
    ['amount', { kind: 'grant', amount: 0 }],
    ['amount', { kind: 'grant', amount: -1 }],
    ['amount', { kind: 'adjustment', amount: 0 }],
    ['amount', { kind: 'grant', amount: 1.5 }],
    ['amount', { kind: 'grant', amount: 1e300 }],
    ['reason', { kind: 'grant', amount: 1, reason: '' }],
  ])('422 %s: %j', async (field, body) => {
    const { accountId } = await stack.issueKey();
    const response = await move(accountId, body);
    expect([response.status, response.body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: `#/${field}` })],
    ]);
  });

  it('404 and 409: an unknown account, a key of another account, a grant beyond all counting', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const stranger = await stack.issueKey();
    const grant = { kind: 'grant', amount: 1 };
    expect((await move(randomUUID(), grant)).status).toBe(404);
    expect((await move(accountId, { ...grant, key_id: stranger.keyId })).status).toBe(404);
    expect((await move(accountId, { ...grant, key_id: 'nonsense' })).status).toBe(404);
    expect((await move(accountId, { ...grant, amount: Number.MAX_SAFE_INTEGER })).status).toBe(409);
    for (const id of [randomUUID(), 'nonsense', keyId]) {
      expect((await support.get(`/admin/accounts/${id}/credits`)).status).toBe(404);
      expect((await support.get(`/admin/accounts/${id}/ledger`)).status).toBe(404);
    }
  });
});

describe('ledger', () => {
  let key: IssuedKey;
  let sibling: IssuedKey;

  beforeAll(async () => {
    key = await stack.issueKey();
    sibling = await stack.issueKey({ accountId: key.accountId });
    for (let cost = 1; cost <= 5; cost++) await charge(key, cost, 'speech');
    await charge(sibling, 9, 'dubbing');
    await move(key.accountId, { kind: 'grant', amount: 70 });
  });

  it('has every adjustment once, newest first, page by page', async () => {
    const found: unknown[] = [];
    let cursor: string | null = '';
    do {
      const query: string = `?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const page = await ledger(key, query);
      expect(page.total).toBe(7);
      found.push(...page.items.map(({ kind, amount, actor }) => [kind, amount, actor]));
      cursor = page.next_cursor;
    } while (cursor);
    expect(found).toEqual([
      ['grant', 70, manager.person.email],
      ['charge', -9, null],
      ...[5, 4, 3, 2, 1].map((cost) => ['charge', -cost, null]),
    ]);
  });

  it('folded, is one line a charge: a hold is there until it ends, and what all lines add up to stays', async () => {
    const { keyId, accountId } = await stack.issueKey();
    const [ended, running] = [randomUUID(), randomUUID()];
    const holds = stack.api.get(CreditLedger);
    for (const requestId of [ended, running])
      await holds.charge({ keyId, accountId, cost: 50, operation: 'test', requestId, holdSecs: 60 });
    await holds.capture(accountId, ended, 30);
    const all = await ledger({ accountId } as IssuedKey);
    const folded = await ledger({ accountId } as IssuedKey, '?folded=true');
    const linesOf = ({ items }: typeof all) => items.map(({ kind, amount }) => [kind, amount]);
    expect(linesOf(all)).toEqual([
      ['charge', -30],
      ['release', 50],
      ['hold', -50],
      ['hold', -50],
    ]);
    expect(linesOf(folded)).toEqual([
      ['charge', -30],
      ['hold', -50],
    ]);
    expect(folded.total).toBe(2);
  });

  it('is narrowed by key, kind, operation, period and time', async () => {
    const { items } = await ledger(key);
    const [newest, oldest] = [items[0]!, items.at(-1)!];
    const count = async (query: string) => (await ledger(key, `?${query}`)).total;
    expect(await count(`key_id=${sibling.keyId}`)).toBe(1);
    expect(await count('kind=grant')).toBe(1);
    expect(await count('kind=charge&operation=speech')).toBe(5);
    expect(await count(`period=${String(newest.period_start)}`)).toBe(7);
    expect(await count('period=2020-01-01')).toBe(0);
    expect(await count(`to=${String(oldest.at)}`)).toBe(0);
    expect(await count(`from=${String(oldest.at)}`)).toBe(7);
    expect(await count(`key_id=${randomUUID()}`)).toBe(0);
  });

  it.each(['kind=gift', 'key_id=x', 'from=yesterday', 'period=1', 'limit=0', 'kind=a&kind=b', 'color=red'])(
    '422 %s',
    async (query) => {
      expect((await support.get(`/admin/accounts/${key.accountId}/ledger?${query}`)).status).toBe(422);
    },
  );

  it('400 cursor=x', async () => {
    expect((await support.get(`/admin/accounts/${key.accountId}/ledger?cursor=x`)).status).toBe(400);
  });

  it('400 a cursor with a number that no line has', async () => {
    const { next_cursor: cursor } = await ledger(key, '?limit=1');
    const position = JSON.parse(Buffer.from(cursor!, 'base64url').toString()) as unknown[];
    const crafted = Buffer.from(JSON.stringify([...position.slice(0, -1), '9'.repeat(18)]));
    const path = `/admin/accounts/${key.accountId}/ledger?cursor=${crafted.toString('base64url')}`;
    expect((await support.get(path)).status).toBe(400);
  });
});

describe('reconciliation', () => {
  it('of a ledger that is too long for a request is left out, and the credits are shown', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    await charge(key, 80);
    const shown = await stack.whileLocked('ledger_line', () => credits(key));
    expect(shown).toMatchObject({ used: 80, reconciliation: null });
    expect(await credits(key)).toMatchObject({ used: 80, reconciliation: { balanced: true } });
  });

  it('a limit that was lowered below what had been used does not count as a breach', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    await charge(key, 80);
    await stack.dataSource.query('UPDATE credit_balance SET credit_limit = 10 WHERE subject_id = $1', [
      key.keyId,
    ]);
    expect(await credits(key)).toMatchObject({ reconciliation: { balanced: true } });
  });

  it('every alteration is found, with the account or key, the period and the figures', async () => {
    const OF_KEY = 'key = (SELECT number FROM credit_balance WHERE subject_id = KEY)';
    const key = await stack.issueKey({ creditLimit: 100 });
    await charge(key, 40);
    await charge(key, 20, 'test', 600);
    const breachesAfter = async (sql: string) => {
      await stack.asOwner(sql.replaceAll('KEY', `'${key.keyId}'`));
      const { breaches } = await reconcileCredits(stack.dataSource);
      return breaches.map(({ subject, problems }) => [subject, problems.join()]);
    };
    expect(await breachesAfter('SELECT 1')).toEqual([]);
    expect(
      await breachesAfter(
        `INSERT INTO ledger_line (account, key, period_start, kind, amount, operation, request, form, request_text)
         SELECT account, key, period_start, kind, 0, operation, request, form, request_text
         FROM ledger_line WHERE ${OF_KEY} AND kind = 'c'`,
      ),
    ).toEqual([['account', 'repeated']]);
    await stack.asOwner('DELETE FROM ledger_line WHERE amount = 0');
    expect(await breachesAfter('UPDATE credit_balance SET used = 59 WHERE subject_id = KEY')).toEqual([
      ['key', 'used'],
    ]);
    expect((await reconcileCredits(stack.dataSource)).breaches).toMatchObject([
      { subjectId: key.keyId, accountId: key.accountId, ledgerUsed: 60, balanceUsed: 59, overLimit: 0 },
    ]);
    await stack.dataSource.query('UPDATE credit_balance SET used = 60 WHERE subject_id = $1', [key.keyId]);
    expect(await breachesAfter('UPDATE credit_balance SET granted = 5 WHERE subject_id = KEY')).toEqual([
      ['key', 'granted'],
    ]);
    await stack.dataSource.query('UPDATE credit_balance SET granted = 0 WHERE subject_id = $1', [key.keyId]);
    expect(
      await breachesAfter(`UPDATE ledger_line SET key_limit = 50 WHERE ${OF_KEY} AND kind = 'h'`),
    ).toEqual([['key', 'over_limit']]);
    expect(await breachesAfter('DELETE FROM credit_hold WHERE key_id = KEY')).toEqual([
      ['account', 'held'],
      ['key', 'held,over_limit'],
    ]);
    expect(await breachesAfter(`DELETE FROM ledger_line WHERE ${OF_KEY}`)).toEqual([
      ['account', 'used'],
      ['key', 'used'],
    ]);
  });
});

describe('prepaid credits', () => {
  const DAY = 86_400_000;
  const prepay = (accountId: string, amount: number, more: object = {}) =>
    move(accountId, { kind: 'prepaid', amount, ...more });
  /** An account of which all but 10 credits of the period are used. */
  const almostUsedUp = async () => {
    const key = await stack.issueKey({ tier: 'free' });
    await charge(key, Number((await credits(key)).remaining) - 10);
    return key;
  };
  const forecast = async ({ accountId }: IssuedKey) =>
    (await support.get(`/admin/accounts/${accountId}/usage/forecast`)).body;

  it('are used behind those of the period, and the reports and the forecast know them', async () => {
    const key = await almostUsedUp();
    expect(await charge(key, 11)).toMatchObject({ charged: false });
    const endsAt = new Date(Date.now() + DAY).toISOString();
    const granted = await prepay(key.accountId, 100, { ends_at: endsAt });
    expect([granted.status, granted.body]).toMatchObject([
      200,
      {
        remaining: 110,
        granted: 0,
        prepaid: {
          left: 100,
          used: 0,
          grants: [{ amount: 100, remaining: 100, status: 'live', ends_at: endsAt, reason: 'A test' }],
        },
        receipt: { acknowledged: 1 },
      },
    ]);
    expect(await charge(key, 50)).toMatchObject({ charged: true, remaining: 60 });
    const after = await credits(key);
    expect(after).toMatchObject({
      granted: 40,
      remaining: 60,
      prepaid: { left: 60, used: 40 },
      reconciliation: { balanced: true },
    });
    const { items } = await ledger(key);
    const newest = items
      .slice(0, 2)
      .map(({ kind, amount, operation, key_id }) => [kind, amount, operation, key_id]);
    expect(newest.toSorted()).toEqual([
      ['charge', -50, 'test', key.keyId],
      ['grant', 40, 'prepaid', null],
    ]);
    const { usage } = (await support.get(`/admin/accounts/${key.accountId}`)).body as {
      usage: { credits: Record<string, number> };
    };
    expect(usage.credits.limit! - usage.credits.used!).toBe(60);
    expect(Date.parse((await forecast(key)).runs_out_at as string)).toBeGreaterThan(Date.now() + 60_000);
    const subscription = await stack.request('GET', '/v1/user/subscription', { secret: key.secret });
    const { character_count, character_limit } = subscription.body as Record<string, number>;
    expect(character_limit! - character_count!).toBe(60);
    const { body: byDay } = await manager.get(`/admin/accounts/${key.accountId}/usage/by-day?by=operation`);
    expect((byDay.prepaid as number[]).at(-1)).toBe(40);
  });

  it('what is left of a grant can be taken back, once, and is audited', async () => {
    const key = await almostUsedUp();
    await prepay(key.accountId, 20);
    await charge(key, 15);
    const [grant] = ((await credits(key)).prepaid as { grants: { id: string }[] }).grants;
    const path = `/admin/accounts/${key.accountId}/prepaid-credits/${grant!.id}/revoke`;
    const revoke = (staff: StaffClient) => staff.post(path, { reason: 'A mistake' }, { 'if-match': '*' });
    expect((await revoke(support)).status).toBe(403);
    expect((await revoke(manager)).body).toMatchObject({
      remaining: 0,
      prepaid: { left: 0, used: 5, grants: [{ remaining: 0, revoked: 15, status: 'revoked' }] },
    });
    expect((await revoke(manager)).status).toBe(409);
    expect(
      (await manager.post(path.replace(grant!.id, 'none'), { reason: 'A mistake' }, { 'if-match': '*' }))
        .status,
    ).toBe(404);
    const events = await stack.dataSource.query<object[]>(
      `SELECT action, after, reason FROM audit_event WHERE target_id = $1 ORDER BY id`,
      [key.accountId],
    );
    expect(events).toMatchObject([
      {
        action: 'credits.prepaid',
        after: { amount: 20, grant_id: grant!.id, ends_at: null, credits_left: 30 },
      },
      { action: 'credits.prepaid_revoked', after: { grant_id: grant!.id, revoked: 15 }, reason: 'A mistake' },
    ]);
  });

  it.each([
    [{ ends_at: new Date(Date.now() - 1_000).toISOString() }, '#/ends_at', /^should be a time after 20/],
    [{ ends_at: 'tomorrow' }, '#/ends_at', /time/],
    [{ key_id: randomUUID() }, '#/key_id', /^should be left out for prepaid credits/],
    [{ amount: -5 }, '#/amount', /greater than or equal to 1/],
    [
      { kind: 'grant', ends_at: new Date(Date.now() + DAY).toISOString() },
      '#/ends_at',
      /left out for credits that are not prepaid/,
    ],
  ])('422 for %j, and nothing is granted', async (wrong, pointer, message) => {
    const key = await stack.issueKey({ tier: 'free' });
    const { status, body } = await prepay(key.accountId, 5, wrong);
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      expect.objectContaining({ pointer, message: expect.stringMatching(message) as string }),
    ]);
    expect(await credits(key)).toMatchObject({ granted: 0, prepaid: { left: 0, grants: [] } });
  });

  it('support may request them; an end that passes meanwhile is refused with words', async () => {
    const key = await stack.issueKey({ tier: 'free' });
    const path = `/admin/accounts/${key.accountId}/credit-requests`;
    const endsAt = new Date(Date.now() + 3_000);
    const body = { kind: 'prepaid', amount: 7, ends_at: endsAt.toISOString(), reason: 'They bought 7.' };
    const requested = await support.post(path, body);
    expect(requested.status).toBe(202);
    const { id } = requested.body.approval as { id: string };
    await eventually(() => expect(Date.now()).toBeGreaterThan(endsAt.getTime()));
    const late = await manager.post(`/admin/approvals/${id}/approve`, { reason: 'Fine' });
    expect([late.status, late.body.code]).toEqual([409, 'approval_stale']);
    expect(late.body.detail).toMatch(/^The account no longer allows what .* This would have ended at/);
    expect((await manager.post(`/admin/approvals/${id}/decline`, { reason: 'Too late' })).status).toBe(200);
    expect(await credits(key)).toMatchObject({ prepaid: { left: 0 } });
    const { ends_at: _, ...forever } = body;
    const again = await support.post(path, { ...forever, amount: 8 });
    const { id: second } = again.body.approval as { id: string };
    expect((await manager.post(`/admin/approvals/${second}/approve`, { reason: 'Fine' })).status).toBe(200);
    expect(await credits(key)).toMatchObject({
      prepaid: { left: 8, grants: [{ amount: 8, reason: 'They bought 7.' }] },
    });
  });
});
