import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CreditBalances } from '../../libs/credits/credit-balances';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { createDataSource } from '../../libs/database/data-source';
import { CreditReconciliationRepository } from '../../libs/database/credits/credit-reconciliation.repository';
import { CreditLedgerRepository } from '../../libs/database/credits/credit-ledger.repository';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import { LedgerModel } from '../support/ledger-model';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let dataSource: DataSource;
let credits: CreditRepository;
let ledger: CreditLedger;
let reading: CreditLedgerRepository;
let balances: CreditBalances;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  credits = new CreditRepository(dataSource);
  ledger = new CreditLedger(credits);
  reading = new CreditLedgerRepository(dataSource);
  balances = new CreditBalances(credits, reading);
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const OF_ACCOUNT = 'account = (SELECT number FROM credit_balance WHERE subject_id = $1)';

/** An account with keys, real and in the model; each key may have been created by one before it. */
class Bench {
  private period = 0;

  private constructor(
    readonly accountId: string,
    readonly keyIds: string[],
    readonly model: LedgerModel,
  ) {}

  static async open(
    accountLimit: number,
    keyLimits: (number | null)[],
    parentKeyOf: (number | null)[] = [],
  ): Promise<Bench> {
    const accountId = randomUUID();
    const keyIds = keyLimits.map(() => randomUUID());
    const parentKeys = chains(keyIds, parentKeyOf);
    await dataSource.transaction(async (em) => {
      await credits.openAccountBalance(accountId, accountLimit, em);
      for (const [index, id] of keyIds.entries())
        await credits.openKeyBalance(id, accountId, keyLimits[index] ?? null, em, parentKeys.get(id) ?? null);
    });
    const limits = new Map<string, number | null>([[accountId, accountLimit]]);
    keyIds.forEach((id, index) => limits.set(id, keyLimits[index] ?? null));
    return new Bench(accountId, keyIds, new LedgerModel(accountId, limits, parentKeys));
  }

  async take(kind: 'charge' | 'hold', input: string, key: number, cost: number): Promise<void> {
    const id = this.named(input);
    const keyId = this.keyIds[key]!;
    const request = { keyId, accountId: this.accountId, cost, operation: 'test', requestId: id };
    const charge = await ledger.charge({ ...request, ...(kind === 'hold' && { holdSecs: 600 }) });
    const outcome = charge.charged
      ? charge.repeated
        ? 'repeated'
        : 'charged'
      : {
          insufficient_credits: 'refused',
          request_id_conflict: 'conflict',
          unknown_key: 'unknown',
          budget_spent: 'budget',
        }[charge.reason];
    expect(outcome).toBe(this.model.take(kind, id, keyId, cost));
  }

  async end(input: string, cost: number | null): Promise<void> {
    const id = this.named(input);
    const ended =
      cost === null
        ? await ledger.release(this.accountId, id)
        : await ledger.capture(this.accountId, id, cost);
    expect(ended.outcome).toBe(this.model.end(id, cost));
  }

  async refund(input: string): Promise<void> {
    const id = this.named(input);
    expect(await ledger.refund(this.accountId, id)).toBe(this.model.refund(id));
  }

  async grant(key: number | null, amount: number): Promise<void> {
    const keyId = key === null ? null : this.keyIds[key]!;
    await dataSource.transaction(async (em) => {
      const movement = { accountId: this.accountId, keyId, kind: 'grant' as const, amount };
      const who = { requestId: randomUUID(), actor: 'staff' };
      await balances.adjust({ ...movement, ...who }, em);
    });
    this.model.grant(keyId, amount);
  }

  async setLimit(subject: string, limit: number): Promise<void> {
    await balances.setLimit(subject, limit, dataSource.manager);
    this.model.limits.set(subject, limit);
  }

  async passDeadlines(): Promise<void> {
    await dataSource.query('UPDATE credit_hold SET deadline = now() WHERE account_id = $1', [this.accountId]);
    this.model.passDeadlines();
  }

  /** Time passes: everything that was becomes older, until the next period has just begun. */
  async nextPeriod(): Promise<void> {
    const [left] = await dataSource.query<{ text: string; end: string }[]>(
      `SELECT (period_end - now() + interval '1 second')::text AS text, period_end::text AS end FROM current_credits WHERE subject_id = $1`,
      [this.accountId],
    );
    const older = (table: string, ...columns: string[]) =>
      queryAs(
        database.ownerUrl,
        `UPDATE ${table} SET ${columns.map((name) => `${name} = ${name} - $2::interval`).join()} WHERE ${
          table === 'ledger_line' ? OF_ACCOUNT : 'account_id = $1'
        }`,
        [this.accountId, left!.text],
      );
    await older('credit_balance', 'period_start', 'period_end');
    // Months are not equally long: without a new anchor, the next period would not begin where the last one ends.
    await dataSource.query(
      'UPDATE credit_balance SET period_anchor = $2::timestamptz - $3::interval WHERE account_id = $1',
      [this.accountId, left!.end, left!.text],
    );
    await older('credit_balance_history', 'period_start');
    await older('ledger_line', 'period_start');
    await older('credit_hold', 'period_start');
    this.model.nextPeriod();
    this.period += 1;
  }

  /**
   * An id as it is sent. A request id is charged once in its period and the next, and may be charged again after that: each is
   * used in two periods.
   */
  private named(id: string): string {
    return `${id}/${Math.floor(this.period / 2)}`;
  }

  async compare(): Promise<void> {
    const found = await dataSource.query<{ id: string; used: string; granted: string }[]>(
      'SELECT subject_id AS id, used, granted FROM current_credits WHERE account_id = $1',
      [this.accountId],
    );
    const real = new Map(found.map(({ id, used, granted }) => [id, [Number(used), Number(granted)]]));
    const expected = [this.accountId, ...this.keyIds].map(
      (id) => [id, [this.model.usedBy(id), this.model.granted.get(id) ?? 0]] as const,
    );
    expect(real).toEqual(new Map(expected));
  }

  async reconcileCredits(): Promise<void> {
    expect((await new CreditReconciliationRepository(dataSource).check([this.accountId])).breaches).toEqual(
      [],
    );
  }
}

/** The makers of each key, nearest first. */
function chains(keyIds: string[], parentKeyOf: (number | null)[]): Map<string, string[]> {
  const chains = new Map<string, string[]>();
  parentKeyOf.forEach((parentKey, index) => {
    const id = parentKey === null ? undefined : keyIds[parentKey];
    if (id) chains.set(keyIds[index]!, [id, ...(chains.get(id) ?? [])]);
  });
  return chains;
}

const KEYS = 4;
/** Half of the trees have no makers, as nearly all keys in use. */
const parentKeyOf = fc.oneof(
  fc.constant<(number | null)[]>([]),
  fc.tuple(
    fc.constant(null),
    fc.constantFrom(null, 0),
    fc.constantFrom(null, 0, 1),
    fc.constantFrom(null, 0, 1, 2),
  ),
);
const key = fc.nat({ max: KEYS - 1 });
const cost = fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(0, 30, 60));
/** Mostly the same cost and key for the same id, so that repetitions are repetitions. */
const request = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom({ id: 'a', key: 0, cost: 7 }, { id: 'b', key: 1, cost: 12 }) },
  { weight: 3, arbitrary: fc.constantFrom({ id: 'c', key: 2, cost: 0 }, { id: 'd', key: 3, cost: 25 }) },
  { weight: 2, arbitrary: fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), key, cost }) },
);
const id = request.map((each) => each.id);
const step = fc.oneof(
  { weight: 6, arbitrary: request.map((each) => ({ do: 'charge' as const, ...each })) },
  { weight: 5, arbitrary: request.map((each) => ({ do: 'hold' as const, ...each })) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('capture' as const), id, cost }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), id }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refund' as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('limit' as const), of: fc.nat({ max: KEYS }), to: cost }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      to: fc.option(key),
      amount: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'deadlines' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'period' as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(bench: Bench, now: Step): Promise<void> {
  switch (now.do) {
    case 'charge':
    case 'hold':
      return bench.take(now.do, now.id, now.key, now.cost);
    case 'capture':
      return bench.end(now.id, now.cost);
    case 'release':
      return bench.end(now.id, null);
    case 'refund':
      return bench.refund(now.id);
    case 'limit':
      return bench.setLimit([bench.accountId, ...bench.keyIds][now.of]!, now.to);
    case 'grant':
      return bench.grant(now.to, now.amount);
    case 'deadlines':
      return bench.passDeadlines();
    case 'period':
      return bench.nextPeriod();
  }
}

it('charges, refunds, holds, grants, limits and periods, in any order, are what the model says, and ledger and balances agree', async () => {
  const limits = fc.tuple(
    fc.nat({ max: 60 }),
    fc.array(fc.option(fc.nat({ max: 40 })), { minLength: KEYS, maxLength: KEYS }),
    parentKeyOf,
  );
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }),
      async ([accountLimit, keyLimits, parentKeyOf], steps) => {
        const bench = await Bench.open(accountLimit, keyLimits, parentKeyOf);
        for (const each of steps) {
          await take(bench, each);
          await bench.compare();
        }
        await bench.reconcileCredits();
      },
    ),
    { numRuns: 40 },
  );
});

it('a burst over several keys is admitted as far as all limits go, and nothing is refused that would fit', async () => {
  const burst = fc.array(fc.record({ key, cost }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 80 }),
      fc.nat({ max: 60 }),
      burst,
      parentKeyOf,
      async (accountLimit, keyLimit, requests, parentKeyOf) => {
        const limits = [keyLimit, null, keyLimit, null];
        const { accountId, keyIds, model } = await Bench.open(accountLimit, limits, parentKeyOf);
        const other = new CreditLedger(credits);
        const outcomes = await Promise.all(
          requests.map(({ key, cost }, index) =>
            [ledger, other][index % 2]!.charge({
              keyId: keyIds[key]!,
              accountId,
              cost,
              operation: 'test',
              requestId: randomUUID(),
            }),
          ),
        );
        const mostThatFits = await Promise.all(
          keyIds.map(async (id) => {
            const payers = [id, ...(model.parentKeys.get(id) ?? []), accountId];
            return Math.min(...(await Promise.all(payers.map(leftTo))));
          }),
        );
        expect(Math.min(...mostThatFits)).toBeGreaterThanOrEqual(0);
        const wronglyRefused = requests.filter(
          ({ key, cost }, index) => !outcomes[index]!.charged && cost <= mostThatFits[key]!,
        );
        expect(wronglyRefused).toEqual([]);
        expect((await new CreditReconciliationRepository(dataSource).check([accountId])).breaches).toEqual(
          [],
        );
      },
    ),
    { numRuns: 40 },
  );
});

async function leftTo(subjectId: string): Promise<number> {
  const { creditLimit, used } = (await reading.findCurrent(subjectId))!;
  return creditLimit === null ? Infinity : creditLimit - used;
}
