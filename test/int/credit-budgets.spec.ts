import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { CreditLedger, type Charge } from '../../libs/credits/credit-ledger';
import { BudgetRepository, type NewBudget } from '../../libs/database/credits/budget.repository';
import { CreditReconciliationRepository } from '../../libs/database/credits/credit-reconciliation.repository';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import { createDataSource } from '../../libs/database/data-source';
import { addBudget, budgetsOf, moveBudgetsBack, type BudgetInput } from '../support/budgets';
import { queryAs, whileLocked } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

interface Key {
  accountId: string;
  keyId: string;
}

let database: TestDatabase;
let dataSource: DataSource;
let otherDataSource: DataSource;
let ledger: CreditLedger;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  otherDataSource = await createDataSource(database.url, 'test-other').initialize();
  ledger = new CreditLedger(new CreditRepository(dataSource));
});

afterAll(async () => {
  await dataSource.destroy();
  await otherDataSource.destroy();
  await database.drop();
});

async function openAccount(accountLimit = 1_000_000): Promise<Key> {
  const accountId = randomUUID();
  await new CreditRepository(dataSource).openAccountBalance(accountId, accountLimit, dataSource.manager);
  return openKey({ accountId });
}

async function openKey(
  { accountId }: Pick<Key, 'accountId'>,
  { tags = [], parentKeyIds = null }: { tags?: string[]; parentKeyIds?: string[] | null } = {},
): Promise<Key> {
  const keyId = randomUUID();
  await new CreditRepository(dataSource).openKeyBalance(
    keyId,
    accountId,
    null,
    dataSource.manager,
    parentKeyIds,
  );
  await dataSource.query(`INSERT INTO api_key (id, account_id, name, tags) VALUES ($1, $2, 'Key', $3)`, [
    keyId,
    accountId,
    tags,
  ]);
  return { accountId, keyId };
}

const add = ({ accountId }: Pick<Key, 'accountId'>, input: BudgetInput) =>
  addBudget(dataSource, accountId, input);

const charge = (key: Key, cost: number, requestId: string = randomUUID()) =>
  ledger.charge({ ...key, cost, operation: 'test', requestId });

const hold = (key: Key, cost: number, requestId: string) =>
  ledger.charge({ ...key, cost, operation: 'test', requestId, holdSecs: 600 });

const chargeAs = (key: Key, operation: string, cost: number) =>
  ledger.charge({ ...key, cost, operation, requestId: randomUUID() });

const chargeFor = (key: Key, endUser: string | undefined, cost: number, requestId: string = randomUUID()) =>
  ledger.charge({ ...key, cost, operation: 'test', requestId, endUser });

/** What end users have used of a budget, in any window. */
async function usedByEndUsers({ id }: NewBudget): Promise<Record<string, number>> {
  const rows = await dataSource.query<{ end_user: string; used: string }[]>(
    `SELECT u.end_user, u.used FROM budget_end_user u JOIN budget t ON t.number = u.budget WHERE t.id = $1 ORDER BY 1`,
    [id],
  );
  return Object.fromEntries(rows.map(({ end_user, used }) => [end_user, Number(used)]));
}

const find = ({ id, accountId }: NewBudget) => new BudgetRepository(dataSource).find(id, accountId);

async function used(budget: NewBudget): Promise<number | undefined> {
  return (await find(budget))?.used;
}

const moveBack = ({ accountId }: Key, interval: string) =>
  moveBudgetsBack(database.ownerUrl, accountId, interval);

async function breachesOf({ accountId }: Key) {
  return (await new CreditReconciliationRepository(dataSource).check([accountId])).breaches;
}

describe('charge', () => {
  it('what is left is read together for all who ask, each their own, while the balance of one is locked', async () => {
    const [plain, limited] = [await openAccount(), await openAccount()];
    const child = await openKey(limited, { parentKeyIds: [limited.keyId] });
    await add(limited, { amount: 10, perEndUser: true });
    await chargeFor(limited, 'ann', 3);
    const asked = [plain, limited, child].flatMap((key) =>
      ['ann', 'bob'].map((endUser) => ({ ...key, endUser, operation: null })),
    );
    const lock = dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('SELECT FROM credit_balance WHERE subject_id = $1 FOR UPDATE', [limited.accountId]);
    const found = await Promise.all(asked.map((charges) => ledger.remaining(charges)));
    await lock.rollbackTransaction();
    await lock.release();
    expect(found.map(({ hasBudgets }) => hasBudgets)).toEqual([false, false, true, true, true, true]);
    expect(found.slice(2).map(({ remaining }) => remaining)).toEqual([7, 10, 7, 10]);
    expect(found[0]).toEqual(found[1]);
  });

  it('leaves an end user what they have left, with what is held, and what all have to one that is not named', async () => {
    const key = await openAccount();
    const budget = await add(key, { amount: 10, perEndUser: true });
    await chargeFor(key, 'ann', 3);
    await ledger.charge({
      ...key,
      cost: 4,
      operation: 'test',
      requestId: 'held',
      endUser: 'ann',
      holdSecs: 600,
    });
    await chargeFor(key, 'bob', 2);
    const listed = async (endUser: string | null) => {
      const charges = { ...key, endUser, operation: null };
      const [found] = await new BudgetRepository(dataSource).listOfCharges(charges);
      return [found?.used, found?.held, (await ledger.remaining(charges)).remaining];
    };
    expect(await listed('ann')).toEqual([7, 4, 3]);
    expect(await listed('bob')).toEqual([2, 0, 8]);
    expect(await listed('eve')).toEqual([0, 0, 10]);
    expect((await listed(null)).slice(0, 2)).toEqual([undefined, undefined]);
    expect(await find(budget)).toMatchObject({ used: 9, held: 4 });
    await dataSource.query(`UPDATE credit_hold SET deadline = now() WHERE account_id = $1`, [key.accountId]);
    expect(await listed('ann')).toEqual([3, 0, 7]);
    await moveBack(key, '1 day');
    expect(await listed('ann')).toEqual([0, 0, 10]);
    await ledger.endLapsedHolds(10);
    expect(await new BudgetRepository(dataSource).deleteEnded(100)).toBe(2);
  });

  it('names the budget that refuses, its window and when it renews, and changes nothing', async () => {
    const key = await openAccount();
    const wide = await add(key, { amount: 100, name: 'Wide', window: 'month' });
    const narrow = await add(key, { amount: 10, name: 'Narrow' });
    const { windowEnd } = (await find(narrow))!;
    expect(await charge(key, 11)).toEqual<Charge>({
      charged: false,
      reason: 'budget_spent',
      budget: { name: 'Narrow', window: 'day', renewsAt: windowEnd },
      creditLimit: 10,
      remaining: 10,
    });
    expect([await used(wide), await used(narrow)]).toEqual([0, 0]);
  });

  it('of several budgets that refuse, names the one that renews last', async () => {
    const key = await openAccount();
    for (const window of ['day', 'month', 'week'] as const)
      await add(key, { amount: 5, name: window, window });
    const budgets = await new BudgetRepository(dataSource).list(key.accountId);
    const last = Math.max(...budgets.map(({ windowEnd }) => windowEnd.getTime()));
    const refused = await charge(key, 6);
    expect(refused).toMatchObject({ reason: 'budget_spent', budget: { renewsAt: new Date(last) } });
  });

  it('names the key or the account before a budget', async () => {
    const key = await openAccount(5);
    await add(key, { amount: 5 });
    expect(await charge(key, 6)).toMatchObject({ reason: 'insufficient_credits', scope: 'account' });
  });

  it('admits exactly what the smallest of four budgets has room for, of 500 at once from two processes', async () => {
    const key = await openAccount();
    const second = await openKey(key, { tags: ['group'] });
    const [account, tag, ofKey, ofSecond] = await Promise.all([
      add(key, { amount: 300, window: 'month' }),
      add(key, { amount: 120, tag: 'group', window: 'week' }),
      add(key, { amount: 90, keyId: key.keyId }),
      add(key, { amount: 130, keyId: second.keyId, window: 'billing_period' }),
    ]);
    const other = new CreditLedger(new CreditRepository(otherDataSource));
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        (index % 4 < 2 ? ledger : other).charge({
          ...(index % 2 ? key : second),
          cost: 1,
          operation: 'test',
          requestId: randomUUID(),
        }),
      ),
    );
    expect(outcomes.filter(({ charged }) => charged)).toHaveLength(90 + 120);
    expect(await Promise.all([account, tag, ofKey, ofSecond].map(used))).toEqual([210, 120, 90, 120]);
    expect(await breachesOf(key)).toEqual([]);
  });

  it('that fits behind one that does not is admitted in the same batch', async () => {
    const key = await openAccount();
    const budget = await add(key, { amount: 10 });
    const outcomes = await Promise.all([charge(key, 6), charge(key, 6), charge(key, 4)]);
    expect(outcomes.map(({ charged }) => charged)).toEqual([true, false, true]);
    expect(await used(budget)).toBe(10);
  });

  it('is exact when connections end in the middle', async () => {
    const key = await openAccount();
    const budgets = await Promise.all([150, 120, 180].map((amount) => add(key, { amount })));
    const other = new CreditLedger(new CreditRepository(otherDataSource));
    const ids = Array.from({ length: 400 }, () => randomUUID());
    const one = (requestId: string) => other.charge({ ...key, cost: 1, operation: 'test', requestId });
    const charging = Promise.allSettled(ids.map(one));
    for (let round = 0; round < 5; round++)
      await queryAs(
        database.ownerUrl,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'test-other' AND datname = current_database() AND state = 'active'`,
      );
    const acknowledged = (await charging).filter(
      (outcome) => outcome.status === 'fulfilled' && outcome.value.charged,
    );
    const before = await used(budgets[0]!);
    expect(before).toBeGreaterThanOrEqual(acknowledged.length);
    expect(await breachesOf(key)).toEqual([]);
    const again = await Promise.all(ids.map((id) => charge(key, 1, id)));
    expect(again.filter(({ charged }) => charged)).toHaveLength(120);
    expect(await Promise.all(budgets.map(used))).toEqual([120, 120, 120]);
    expect(await breachesOf(key)).toEqual([]);
  });
});

describe('a window', () => {
  it.each([
    ['day', 'UTC', '2026-03-29T00:00:00Z', '2026-03-29T00:00:00Z', '2026-03-30T00:00:00Z'],
    // 23 and 25 hours.
    ['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['day', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    // Midnight is skipped: the day begins at one.
    ['day', 'Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
    // Midnight comes twice, and the first hour of the two is still the day before.
    ['day', 'America/Havana', '2026-11-01T04:30:00Z', '2026-10-31T04:00:00Z', '2026-11-01T05:00:00Z'],
    ['day', 'America/Havana', '2026-11-01T05:30:00Z', '2026-11-01T05:00:00Z', '2026-11-02T05:00:00Z'],
    ['week', 'Asia/Kolkata', '2026-11-29T18:29:59Z', '2026-11-22T18:30:00Z', '2026-11-29T18:30:00Z'],
    ['month', 'America/New_York', '2026-03-31T12:00:00Z', '2026-03-01T05:00:00Z', '2026-04-01T04:00:00Z'],
    ['billing_period', 'UTC', '2026-03-01T00:00:00Z', '2026-02-28T08:00:00Z', '2026-03-31T08:00:00Z'],
  ])('of a %s in %s at %s is from %s to %s', async (kind, zone, instant, start, end) => {
    const [window] = await dataSource.query<{ window_start: Date; window_end: Date }[]>(
      'SELECT * FROM budget_window($1, $2, $3, $4)',
      [kind, zone, '2026-01-31T08:00:00Z', instant],
    );
    expect(window).toEqual({ window_start: new Date(start), window_end: new Date(end) });
  });

  it.each(['Europe/Berlin', 'America/Havana', 'Africa/Cairo', 'Australia/Lord_Howe', 'Asia/Beirut'])(
    'never overlaps the next one through a year of the clocks of %s',
    async (zone) => {
      const [row] = await dataSource.query<{ wrong: number }[]>(
        `SELECT count(*)::int AS wrong
         FROM unnest('{day,week,month}'::text[]) k (kind)
         CROSS JOIN generate_series('2026-01-01 00:15Z'::timestamptz, '2026-12-31', '105 minutes') i (instant)
         CROSS JOIN LATERAL budget_window(kind, $1, instant, instant) w
         CROSS JOIN LATERAL budget_window(kind, $1, instant, w.window_end) next
         WHERE NOT (w.window_start <= instant AND instant < w.window_end AND next.window_start = w.window_end)`,
        [zone],
      );
      expect(row!.wrong).toBe(0);
    },
  );
});

describe('chargeBudgetedBatch', () => {
  const repository = () => new CreditRepository(dataSource);
  const chargeOf = (key: Key, cost: number, endUser: string | null = null) => ({
    ...key,
    cost,
    operation: 'test',
    requestId: randomUUID(),
    endUser,
  });

  it('charges what fits all budgets, and says what each charge leaves', async () => {
    const key = await openAccount(1_000);
    const other = await openKey(key);
    const [all, ofKey, each] = await Promise.all([
      add(key, { amount: 900 }),
      add(key, { amount: 100, keyId: key.keyId }),
      add(key, { amount: 50, perEndUser: true }),
    ]);
    const batch = [
      chargeOf(key, 10),
      chargeOf(key, 20, 'ann'),
      chargeOf(other, 30, 'ann'),
      chargeOf(other, 40),
    ];
    await charge(key, 0); // The operation has its code from then on.
    expect(await repository().chargeBudgetedBatch(batch)).toEqual([70, 0, 0, 800]);
    expect(await Promise.all([all, ofKey, each].map(used))).toEqual([100, 30, 50]);
    expect(await usedByEndUsers(each)).toEqual({ ann: 50 });
    const requested = batch.map(({ requestId }) => ledger.refund(key.accountId, requestId));
    expect(await Promise.all(requested)).toEqual([10, 20, 30, 40]);
    expect(await Promise.all([all, ofKey, each].map(used))).toEqual([0, 0, 0]);
    expect(await breachesOf(key)).toEqual([]);
  });

  it.each([
    ['more than a budget has', async () => {}, (key: Key) => chargeOf(key, 101)],
    ['more than an end user has', async () => {}, (key: Key) => chargeOf(key, 51, 'ann')],
    ['a window that has ended', (key: Key) => moveBack(key, '1 day'), (key: Key) => chargeOf(key, 1)],
    [
      'a request id that was charged',
      async (key: Key) => void (await charge(key, 1, 'twice')),
      (key: Key) => ({ ...chargeOf(key, 1), requestId: 'twice' }),
    ],
  ])('leaves all of a batch to be settled one by one for %s', async (_, prepare, last) => {
    const key = await openAccount();
    const budget = await add(key, { amount: 100 });
    await add(key, { amount: 50, perEndUser: true });
    await charge(key, 0);
    await prepare(key);
    const before = await used(budget);
    const first = chargeOf(key, 1, 'bob');
    expect(await repository().chargeBudgetedBatch([first, last(key)])).toBeNull();
    expect([await used(budget), await ledger.refund(key.accountId, first.requestId)]).toEqual([before, 0]);
    expect(await breachesOf(key)).toEqual([]);
  });

  it('leaves an account without budgets to the ordinary charges, when its last budget is removed', async () => {
    const key = await openAccount();
    const { id } = await add(key, { amount: 100 });
    expect(await charge(key, 1)).toMatchObject({ hasMorePayers: true });
    expect(await charge(key, 1)).toMatchObject({ hasMorePayers: true });
    await dataSource.transaction((em) => budgetsOf(dataSource).remove(id, key.accountId, em));
    expect(await repository().chargeBudgetedBatch([chargeOf(key, 1)])).toBeNull();
    expect(await charge(key, 1)).toMatchObject({ hasMorePayers: false });
    expect(await breachesOf(key)).toEqual([]);
  });

  it('keeps nothing of end users whose charges cost nothing', async () => {
    const key = await openAccount();
    const budget = await add(key, { amount: 100, perEndUser: true });
    // The first is settled one by one, the second in one comparison.
    for (const endUser of ['ann', 'bob']) await chargeFor(key, endUser, 0);
    await ledger.charge({
      ...key,
      cost: 0,
      operation: 'test',
      requestId: 'held',
      endUser: 'cid',
      holdSecs: 60,
    });
    expect(await usedByEndUsers(budget)).toEqual({});
    expect(await breachesOf(key)).toEqual([]);
    await ledger.release(key.accountId, 'held');
    expect(await breachesOf(key)).toEqual([]);
    await chargeFor(key, 'ann', 3);
    expect(await usedByEndUsers(budget)).toEqual({ ann: 3 });
  });

  it('leaves a key that another key has created to be settled one by one', async () => {
    const parent = await openAccount();
    const key = await openKey(parent, { parentKeyIds: [parent.keyId] });
    await charge(parent, 0);
    await add(key, { amount: 100 });
    expect(await repository().chargeBudgetedBatch([chargeOf(key, 1)])).toBeNull();
  });
});

describe('countRefusals', () => {
  const MONTH_AGO = new Date(Date.now() - 30 * 86_400_000);

  const countRefusals = ({ accountId }: Key, amount: number, more: Partial<NewBudget> = {}) => {
    const id = randomUUID();
    const schedule = { amount, window: 'day', timeZone: 'UTC' } as const;
    const subject = { subject: 'account', keyId: null, tag: null, operations: null } as const;
    const budget = { id, accountId, name: id, ...schedule, ...subject, ...more } as NewBudget;
    return new BudgetRepository(dataSource).countRefusals(budget, MONTH_AGO);
  };

  it('tells the charges of end users apart, and counts none without one', async () => {
    const key = await openAccount();
    for (const [endUser, cost] of [
      ['ann', 60],
      ['bob', 60],
      ['ann', 60],
      ['ann', 40],
      [undefined, 900],
    ] as const)
      await chargeFor(key, endUser, cost);
    expect(await countRefusals(key, 100, { subject: 'end_user' })).toEqual({ charges: 4, refused: 1 });
    expect(await countRefusals(await openAccount(), 100)).toEqual({ charges: 0, refused: 0 });
  });

  it('counts the charges for its operations, with what was given back of them', async () => {
    const key = await openAccount();
    await hold(key, 500, 'held');
    await ledger.capture(key.accountId, 'held', 60);
    for (const operation of ['speak', 'design']) await chargeAs(key, operation, 60);
    const only = (...operations: string[]) => countRefusals(key, 100, { operations });
    expect(await only('speak')).toEqual({ charges: 1, refused: 0 });
    expect(await only('speak', 'test')).toEqual({ charges: 2, refused: 1 });
  });

  it('counts in each window, and what was given back not at all', async () => {
    const key = await openAccount();
    for (const cost of [60, 60, 30]) await charge(key, cost);
    await queryAs(
      database.ownerUrl,
      `UPDATE ledger_line SET created_at = created_at - interval '1 day'
       WHERE account = (SELECT number FROM credit_balance WHERE subject_id = $1)`,
      [key.accountId],
    );
    await charge(key, 60);
    await charge(key, 60, 'refunded');
    await ledger.refund(key.accountId, 'refunded');
    await hold(key, 60, 'captured');
    await ledger.capture(key.accountId, 'captured', 10);
    await charge(key, 40);
    expect(await countRefusals(key, 100)).toEqual({ charges: 7, refused: 2 });
    expect(await countRefusals(key, 150)).toEqual({ charges: 7, refused: 0 });
    expect(await new BudgetRepository(dataSource).list(key.accountId)).toEqual([]);
  });

  it('refuses what a budget refuses, for any costs', async () => {
    const tryOne = async (costs: number[]) => {
      const [free, held] = [await openAccount(), await openAccount()];
      await add(held, { amount: 100 });
      let refused = 0;
      for (const cost of costs) {
        await charge(free, cost);
        if (!(await charge(held, cost)).charged) refused += 1;
      }
      expect(await countRefusals(free, 100)).toEqual({ charges: costs.length, refused });
    };
    const costs = fc.array(fc.nat({ max: 70 }), { minLength: 1, maxLength: 8 });
    await fc.assert(fc.asyncProperty(costs, tryOne), { numRuns: 20 });
  });

  it('is null when the charges cannot be read within the time of a statement', async () => {
    const key = await openAccount();
    const refusals = await whileLocked(database.ownerUrl, 'ledger_line', () => countRefusals(key, 1));
    expect(refusals).toBeNull();
    expect(await countRefusals(key, 1)).toEqual({ charges: 0, refused: 0 });
  });
});

describe('reconciliation', () => {
  it('finds a budget whose count is not that of the ledger', async () => {
    const key = await openAccount();
    const budget = await add(key, { amount: 10 });
    await charge(key, 3);
    await queryAs(database.ownerUrl, 'UPDATE budget SET used = 4 WHERE id = $1', [budget.id]);
    expect(await breachesOf(key)).toEqual([
      expect.objectContaining({
        subject: 'budget',
        subjectId: budget.id,
        problems: ['used'],
        ledgerUsed: 3,
        balanceUsed: 4,
      }),
    ]);
  });
});

describe('a budget that each end user has separately', () => {
  it('admits exactly what each of fifty has room for, of 600 at once from two processes, beside another budget', async () => {
    const key = await openAccount();
    const each = await add(key, { amount: 5, perEndUser: true });
    const all = await add(key, { amount: 1_000 });
    const other = new CreditLedger(new CreditRepository(otherDataSource));
    const outcomes = await Promise.all(
      Array.from({ length: 600 }, (_, index) =>
        (index % 2 ? ledger : other).charge({
          ...key,
          cost: 1,
          operation: 'test',
          requestId: randomUUID(),
          endUser: `user ${index % 50}`,
        }),
      ),
    );
    expect(outcomes.filter(({ charged }) => charged)).toHaveLength(250);
    const ofUsers = Object.values(await usedByEndUsers(each));
    expect(ofUsers).toEqual(Array.from({ length: 50 }, () => 5));
    expect([await used(each), await used(all)]).toEqual([250, 250]);
    expect(await breachesOf(key)).toEqual([]);
  });

  it('reconciliation finds an end user of whom the ledger says something else', async () => {
    const key = await openAccount();
    const budget = await add(key, { amount: 10, perEndUser: true });
    await chargeFor(key, 'ann', 2);
    await chargeFor(key, 'bob', 3);
    await dataSource.query(
      `UPDATE budget_end_user SET used = 5 - used
       WHERE budget = (SELECT number FROM budget WHERE id = $1)`,
      [budget.id],
    );
    expect(await breachesOf(key)).toMatchObject([
      { subject: 'budget', problems: ['used'], ledgerUsed: 2, balanceUsed: 3 },
      { subject: 'budget', problems: ['used'], ledgerUsed: 3, balanceUsed: 2 },
    ]);
  });

  it('what is left of a deleted one is deleted', async () => {
    const key = await openAccount();
    const budget = await add(key, { amount: 10, perEndUser: true });
    await chargeFor(key, 'ann', 2);
    await dataSource.transaction((em) => budgetsOf(dataSource).remove(budget.id, key.accountId, em));
    expect(await new BudgetRepository(dataSource).deleteEnded(100)).toBe(1);
    expect(await chargeFor(key, 'ann', 100)).toMatchObject({ charged: true });
  });
});
