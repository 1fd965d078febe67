import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { BudgetRepository } from '../../libs/database/credits/budget.repository';
import { CreditReconciliationRepository } from '../../libs/database/credits/credit-reconciliation.repository';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import { createDataSource } from '../../libs/database/data-source';
import { BudgetModel } from '../support/budget-model';
import { addBudget, budgetsOf, moveBudgetsBack, type BudgetInput } from '../support/budgets';
import { queryAs } from '../support/query-as';
import { isShort } from '../support/short';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

jest.setTimeout(3_600_000);

/** Sequences; more of them with BUDGET_SEQUENCES in the environment. */
const SEQUENCES = Number(process.env.BUDGET_SEQUENCES ?? (isShort() ? 25 : 200));

let database: TestDatabase;
let dataSource: DataSource;
let credits: CreditRepository;
let ledger: CreditLedger;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  credits = new CreditRepository(dataSource);
  ledger = new CreditLedger(credits);
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const TAGS = ['red', 'blue'];

interface Requested {
  id: string;
  key: number;
  operation: string;
  endUser: string | null;
  cost: number;
}

/** An account with three keys, the last one created by the second, real and in the model. */
class Bench {
  private constructor(
    private readonly accountId: string,
    private readonly keyIds: string[],
    private readonly model: BudgetModel,
  ) {}

  static async open(): Promise<Bench> {
    const accountId = randomUUID();
    const keyIds = [randomUUID(), randomUUID(), randomUUID()];
    const parentKeys = [[], [], [keyIds[1]!]];
    await credits.openAccountBalance(accountId, 1_000_000, dataSource.manager);
    for (const [index, id] of keyIds.entries()) {
      const parentKeyIds = parentKeys[index]!.length > 0 ? parentKeys[index]! : null;
      await credits.openKeyBalance(id, accountId, null, dataSource.manager, parentKeyIds);
      await dataSource.query(`INSERT INTO api_key (id, account_id, name) VALUES ($1, $2, 'Key')`, [
        id,
        accountId,
      ]);
    }
    const model = new BudgetModel(new Map(keyIds.map((id, index) => [id, parentKeys[index]!])));
    return new Bench(accountId, keyIds, model);
  }

  async take(
    kind: 'charge' | 'hold',
    { id: requestId, key, operation, endUser, cost }: Requested,
  ): Promise<void> {
    const keyId = this.keyIds[key]!;
    const request = { keyId, accountId: this.accountId, cost, operation, requestId, endUser };
    const charge = await ledger.charge({ ...request, ...(kind === 'hold' && { holdSecs: 600 }) });
    const outcome = charge.charged ? (charge.repeated ? 'repeated' : 'charged') : charge.reason;
    expect(outcome).toBe(this.model.take(kind, requestId, { key: keyId, operation, endUser }, cost));
  }

  async end(requestId: string, cost: number | null): Promise<void> {
    const ended =
      cost === null
        ? await ledger.release(this.accountId, requestId)
        : await ledger.capture(this.accountId, requestId, cost);
    expect(ended.outcome).toBe(this.model.end(requestId, cost));
  }

  async refund(requestId: string): Promise<void> {
    expect(await ledger.refund(this.accountId, requestId)).toBe(this.model.refund(requestId));
  }

  async add({ key, ...input }: Omit<BudgetInput, 'keyId'> & { key?: number }): Promise<void> {
    const keyId = key === undefined ? undefined : this.keyIds[key]!;
    const budget = await addBudget(dataSource, this.accountId, { ...input, keyId });
    this.model.add({ ...budget });
  }

  async remove(index: number): Promise<void> {
    const id = this.pick(index);
    if (id === undefined) return;
    await dataSource.transaction((em) => budgetsOf(dataSource).remove(id, this.accountId, em));
    this.model.budgets.delete(id);
  }

  async raise(index: number, amount: number): Promise<void> {
    const id = this.pick(index);
    if (id === undefined) return;
    await dataSource.transaction((em) => budgetsOf(dataSource).change(id, { amount }, em));
    this.model.budgets.get(id)!.amount = amount;
  }

  async tag(key: number, tags: string[]): Promise<void> {
    const keyId = this.keyIds[key]!;
    await dataSource.query('UPDATE api_key SET tags = $2 WHERE id = $1', [keyId, tags]);
    this.model.tags.set(keyId, tags);
  }

  async passDeadlines(): Promise<void> {
    await dataSource.query('UPDATE credit_hold SET deadline = now() WHERE account_id = $1', [this.accountId]);
    this.model.passDeadlines();
  }

  async pass(days: number): Promise<void> {
    // The model is in the current windows, since it was compared; until a charge, ended ones are stored.
    await dataSource.transaction((em) => budgetsOf(dataSource).lock(this.accountId, em));
    await moveBudgetsBack(database.ownerUrl, this.accountId, `${days * 24} hours`);
    this.model.pass(days);
  }

  async compare(): Promise<void> {
    const found = await new BudgetRepository(dataSource).list(this.accountId);
    const real = Object.fromEntries(found.map(({ id, used }) => [id, used]));
    expect(real).toEqual(this.model.used());
  }

  async reconcile(): Promise<void> {
    const { breaches } = await new CreditReconciliationRepository(dataSource).check([this.accountId]);
    expect(breaches).toEqual([]);
  }

  async close(): Promise<void> {
    await queryAs(database.ownerUrl, 'DELETE FROM budget WHERE account_id = $1', [this.accountId]);
  }

  private pick(index: number): string | undefined {
    const ids = [...this.model.budgets.keys()];
    return ids.length === 0 ? undefined : ids[index % ids.length];
  }
}

const key = fc.nat({ max: 2 });
const cost = fc.nat({ max: 15 });
const amount = fc.integer({ min: 1, max: 60 });
const endUser = fc.constantFrom(null, 'ann', 'bob');
const request = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  key,
  operation: fc.constantFrom('speak', 'design'),
  endUser,
  cost,
});
const id = request.map((each) => each.id);
const budget = fc.record({
  amount,
  window: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/Havana'),
  operations: fc.constantFrom(undefined, undefined, ['speak'], ['design', 'sing']),
  of: fc.constantFrom(
    {},
    {},
    { key: 0 },
    { key: 1 },
    { key: 2 },
    { tag: 'red' },
    { tag: 'blue' },
    { perEndUser: true },
    { perEndUser: true },
  ),
});
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: request.map((each) => (bench: Bench) => bench.take('charge', each)),
  },
  {
    weight: 5,
    arbitrary: request.map((each) => (bench: Bench) => bench.take('hold', each)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(id, cost).map(
      ([id, cost]) =>
        (bench: Bench) =>
          bench.end(id, cost),
    ),
  },
  { weight: 2, arbitrary: id.map((id) => (bench: Bench) => bench.end(id, null)) },
  { weight: 3, arbitrary: id.map((id) => (bench: Bench) => bench.refund(id)) },
  {
    weight: 2,
    arbitrary: budget.map(
      ({ of, ...rest }) =>
        (bench: Bench) =>
          bench.add({ ...rest, ...of }),
    ),
  },
  { weight: 1, arbitrary: fc.nat().map((index) => (bench: Bench) => bench.remove(index)) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), amount).map(
      ([index, to]) =>
        (bench: Bench) =>
          bench.raise(index, to),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, fc.subarray(TAGS)).map(
      ([key, tags]) =>
        (bench: Bench) =>
          bench.tag(key, tags),
    ),
  },
  { weight: 1, arbitrary: fc.constant((bench: Bench) => bench.passDeadlines()) },
  { weight: 1, arbitrary: fc.constant((bench: Bench) => bench.reconcile()) },
  { weight: 2, arbitrary: fc.constantFrom(1, 3, 7, 31).map((days) => (bench: Bench) => bench.pass(days)) },
);

it('charges, holds, refunds, tags, windows and budgets, in any order, are what the model says, and the ledger agrees', async () => {
  const first = fc.array(budget, { maxLength: 4 });
  const steps = fc.array(step, { minLength: 15, maxLength: 30, size: 'max' });
  await fc.assert(
    fc.asyncProperty(first, steps, async (budgets, steps) => {
      const bench = await Bench.open();
      for (const { of, ...rest } of budgets) await bench.add({ ...rest, ...of });
      for (const each of steps) {
        await each(bench);
        await bench.compare();
      }
      await bench.reconcile();
      await bench.close();
    }),
    { numRuns: SEQUENCES, endOnFailure: true },
  );
});
