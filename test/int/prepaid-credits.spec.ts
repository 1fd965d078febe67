import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { CreditBalances } from '../../libs/credits/credit-balances';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { CreditLedgerRepository } from '../../libs/database/credits/credit-ledger.repository';
import { CreditReconciliationRepository } from '../../libs/database/credits/credit-reconciliation.repository';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import { createDataSource } from '../../libs/database/data-source';
import { addBudget } from '../support/budgets';
import { queryAs } from '../support/query-as';
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

async function openAccount(accountLimit: number, keyLimit: number | null = null): Promise<Key> {
  const [accountId, keyId] = [randomUUID(), randomUUID()];
  const credits = new CreditRepository(dataSource);
  await credits.openAccountBalance(accountId, accountLimit, dataSource.manager);
  await credits.openKeyBalance(keyId, accountId, keyLimit, dataSource.manager);
  return { accountId, keyId };
}

/** @param inHours when it ends; null for never */
async function grant({ accountId }: Key, amount: number, inHours: number | null = null): Promise<string> {
  const id = randomUUID();
  const endsAt = inHours === null ? null : new Date(Date.now() + inHours * 3_600_000);
  await dataSource.transaction((em) =>
    CreditBalances.on(dataSource).grantPrepaid(
      { id, accountId, amount, endsAt, reason: 'Bought', actor: 'test' },
      em,
    ),
  );
  return id;
}

const revoke = ({ accountId }: Key, id: string) =>
  dataSource.transaction((em) =>
    CreditBalances.on(dataSource).revokePrepaid({ id, accountId, actor: 'test' }, em),
  );

const charge = (key: Key, cost: number, requestId: string = randomUUID(), holdSecs?: number) =>
  ledger.charge({ ...key, cost, operation: 'test', requestId, holdSecs });

/** What remains of each grant, in the order of their ids given. */
async function remaining({ accountId }: Key, ...ids: string[]): Promise<(number | undefined)[]> {
  const grants = await new CreditLedgerRepository(dataSource).listPrepaid(accountId, 200);
  return ids.map((id) => grants.find((each) => each.id === id)?.remaining);
}

const current = async ({ accountId }: Key) =>
  (await new CreditLedgerRepository(dataSource).findCurrent(accountId))!;

const left = async (key: Key) =>
  (await ledger.remaining({ ...key, endUser: null, operation: null })).remaining;

/** Everything that has to hold of an account at any moment. */
async function expectExact({ accountId }: Key): Promise<void> {
  const { breaches } = await new CreditReconciliationRepository(dataSource).check([accountId]);
  expect(breaches).toEqual([]);
  const grants = await dataSource.query<{ id: string; gone: number; lines: number }[]>(
    `SELECT g.id, (g.amount - g.revoked - g.remaining)::int AS gone, coalesce((
       SELECT -sum(l.amount) FROM credit_ledger l
       WHERE l.account_id = g.account_id AND l.operation = 'prepaid' AND l.request_id LIKE '%/' || g.id || '/%'), 0)::int AS lines
     FROM prepaid_grant g WHERE g.account_id = $1`,
    [accountId],
  );
  for (const { id, gone, lines } of grants) expect([id, lines]).toEqual([id, gone]);
}

/** Lets the current billing period of an account end. */
async function endPeriod({ accountId }: Key): Promise<void> {
  const back = (columns: string[]) => columns.map((name) => `${name} = ${name} - interval '40 days'`).join();
  await queryAs(
    database.ownerUrl,
    `UPDATE ledger_line SET ${back(['period_start'])} WHERE account = (SELECT number FROM credit_balance WHERE subject_id = $1)`,
    [accountId],
  );
  for (const [table, columns] of [
    ['credit_balance', ['period_anchor', 'period_start', 'period_end']],
    ['credit_balance_history', ['period_start']],
    ['credit_hold', ['period_start']],
  ] as const)
    await queryAs(database.ownerUrl, `UPDATE ${table} SET ${back([...columns])} WHERE account_id = $1`, [
      accountId,
    ]);
}

describe('a charge', () => {
  it('takes the credits of the period first, then those of the grant that ends first, and is refused behind all', async () => {
    const key = await openAccount(100);
    const forever = await grant(key, 30);
    const late = await grant(key, 20, 48);
    const soon = await grant(key, 10, 24);
    expect(await left(key)).toBe(160);
    expect(await charge(key, 90)).toMatchObject({ charged: true, remaining: 70 });
    expect(await remaining(key, soon, late, forever)).toEqual([10, 20, 30]);
    expect(await charge(key, 25)).toMatchObject({ charged: true, remaining: 45 });
    expect(await remaining(key, soon, late, forever)).toEqual([0, 15, 30]);
    expect(await charge(key, 46)).toMatchObject({
      charged: false,
      reason: 'insufficient_credits',
      scope: 'account',
      creditLimit: 160,
      remaining: 45,
    });
    expect(await charge(key, 45)).toMatchObject({ charged: true, remaining: 0 });
    expect(await remaining(key, soon, late, forever)).toEqual([0, 0, 0]);
    expect(await current(key)).toMatchObject({ granted: 60, used: 160, prepaid: 0, prepaidUsed: 60 });
    await expectExact(key);
  });

  it('is charged once where it is repeated, and its grants give once', async () => {
    const key = await openAccount(10);
    const id = await grant(key, 30);
    expect(await charge(key, 25, 'same')).toMatchObject({ charged: true, repeated: false });
    expect(await charge(key, 25, 'same')).toMatchObject({ charged: true, repeated: true });
    expect(await remaining(key, id)).toEqual([15]);
    await expectExact(key);
  });

  it('stays within the limit of its key and within budgets, which prepaid credits do not raise', async () => {
    const key = await openAccount(10, 30);
    const id = await grant(key, 100);
    expect(await charge(key, 31)).toMatchObject({ charged: false, scope: 'key', remaining: 30 });
    await addBudget(dataSource, key.accountId, { amount: 20 });
    expect(await charge(key, 21)).toMatchObject({ charged: false, reason: 'budget_spent' });
    expect(await charge(key, 20)).toMatchObject({ charged: true, remaining: 0 });
    expect(await remaining(key, id)).toEqual([90]);
    await expectExact(key);
  });

  it('pays with prepaid credits for nothing that was used before the limit was lowered', async () => {
    const key = await openAccount(100);
    const id = await grant(key, 20);
    await charge(key, 80);
    await dataSource.transaction((em) => CreditBalances.on(dataSource).setLimit(key.accountId, 50, em));
    expect(await left(key)).toBe(20);
    expect(await charge(key, 5)).toMatchObject({ charged: true, remaining: 15 });
    expect(await remaining(key, id)).toEqual([15]);
  });

  it('in the next period takes its credits first again, and the grant continues', async () => {
    const key = await openAccount(10);
    const id = await grant(key, 30);
    await charge(key, 15);
    await endPeriod(key);
    expect(await left(key)).toBe(35);
    expect(await charge(key, 10)).toMatchObject({ charged: true, remaining: 25 });
    expect(await charge(key, 25)).toMatchObject({ charged: true, remaining: 0 });
    expect(await remaining(key, id)).toEqual([0]);
    expect(await current(key)).toMatchObject({ granted: 25, used: 35, prepaidUsed: 25 });
    await expectExact(key);
  });
});

it('400 charges at once through two processes take exactly what there is, and never a credit more', async () => {
  const key = await openAccount(700);
  const ids = [await grant(key, 300, 24), await grant(key, 500, 48), await grant(key, 400)];
  const other = new CreditLedger(new CreditRepository(otherDataSource));
  const charges = await Promise.all(
    Array.from({ length: 400 }, (_, place) =>
      (place % 2 === 0 ? ledger : other).charge({
        ...key,
        cost: 1 + (place % 13),
        operation: 'test',
        requestId: `charge-${place}`,
        holdSecs: place % 5 === 0 ? 600 : undefined,
      }),
    ),
  );
  const taken = charges.reduce((sum, each, place) => sum + (each.charged ? 1 + (place % 13) : 0), 0);
  const { used, prepaidUsed, prepaid } = await current(key);
  expect([used, prepaidUsed, prepaid]).toEqual([taken, taken - 700, 1_900 - taken]);
  expect(taken).toBeGreaterThan(1_900 - 13);
  expect(charges.filter((each) => !each.charged).length).toBeGreaterThan(0);
  const rest = await remaining(key, ...ids);
  expect(rest.slice(0, 2)).toEqual([0, 0]);
  await expectExact(key);
  // All of it back, at once and twice: each credit goes to where it came from.
  for (let first = 0; first < charges.length; first += 10)
    await Promise.all(
      charges.slice(first, first + 10).flatMap((_, place) => {
        const id = `charge-${first + place}`;
        const { accountId } = key;
        return [ledger.refund(accountId, id), other.refund(accountId, id), other.release(accountId, id)];
      }),
    );
  expect(await remaining(key, ...ids)).toEqual([300, 500, 400]);
  expect(await current(key)).toMatchObject({ used: 0, granted: 0, prepaid: 1_200, prepaidUsed: 0 });
  await expectExact(key);
});

describe('what is given back', () => {
  it('goes to where it was taken from, once', async () => {
    const key = await openAccount(10);
    const [soon, late] = [await grant(key, 10, 24), await grant(key, 10, 48)];
    await charge(key, 10, 'of the period');
    await charge(key, 15, 'prepaid');
    expect(await remaining(key, soon, late)).toEqual([0, 5]);
    expect(await ledger.refund(key.accountId, 'of the period')).toBe(10);
    expect(await remaining(key, soon, late)).toEqual([0, 5]);
    expect(await left(key)).toBe(15);
    expect(await ledger.refund(key.accountId, 'prepaid')).toBe(15);
    expect(await ledger.refund(key.accountId, 'prepaid')).toBe(0);
    expect(await remaining(key, soon, late)).toEqual([10, 10]);
    expect(await left(key)).toBe(30);
    await expectExact(key);
  });

  it('of a hold is first what prepaid grants paid, the one that ends last before the others', async () => {
    const key = await openAccount(10);
    const [soon, late] = [await grant(key, 10, 24), await grant(key, 10, 48)];
    await charge(key, 25, 'hold', 600);
    expect(await remaining(key, soon, late)).toEqual([0, 5]);
    expect(await ledger.capture(key.accountId, 'hold', 14)).toMatchObject({ outcome: 'ended' });
    expect(await remaining(key, soon, late)).toEqual([6, 10]);
    expect(await current(key)).toMatchObject({ used: 14, granted: 4, prepaidUsed: 4 });
    await expectExact(key);
    expect(await ledger.refund(key.accountId, 'hold')).toBe(14);
    expect(await remaining(key, soon, late)).toEqual([10, 10]);
    await expectExact(key);
  });

  it('of a hold whose deadline passes is everything, and of work beyond a hold as of any charge', async () => {
    const key = await openAccount(10);
    const id = await grant(key, 30);
    await charge(key, 25, 'lapses', 600);
    await dataSource.query('UPDATE credit_hold SET deadline = now() WHERE account_id = $1', [key.accountId]);
    expect(await left(key)).toBe(40);
    await ledger.endLapsedHolds(10);
    expect(await remaining(key, id)).toEqual([30]);
    await charge(key, 8, 'more', 600);
    expect(await ledger.chargeBeyond(key.accountId, 'more', 12)).toBe(8);
    await ledger.capture(key.accountId, 'more', 8);
    expect(await remaining(key, id)).toEqual([28]);
    await expectExact(key);
  });

  it('after the period of the charge still goes to the grant, and what the period paid ends with it', async () => {
    const key = await openAccount(10);
    const id = await grant(key, 30);
    await charge(key, 25, 'earlier');
    await charge(key, 5, 'held', 600);
    await endPeriod(key);
    await charge(key, 1);
    expect(await ledger.refund(key.accountId, 'earlier')).toBe(25);
    expect(await ledger.release(key.accountId, 'held')).toMatchObject({ outcome: 'ended' });
    expect(await remaining(key, id)).toEqual([30]);
    expect(await left(key)).toBe(39);
    await expectExact(key);
  });

  it('to a grant that has ended or was taken back is not used any more', async () => {
    const key = await openAccount(10);
    const [ended, revoked] = [await grant(key, 10, 24), await grant(key, 10, 48)];
    await charge(key, 25, 'both');
    expect(await revoke(key, revoked)).toMatchObject({ remaining: 5 });
    await dataSource.query('UPDATE prepaid_grant SET ends_at = now() WHERE id = $1', [ended]);
    expect(await ledger.refund(key.accountId, 'both')).toBe(25);
    expect(await remaining(key, ended, revoked)).toEqual([10, 5]);
    expect(await left(key)).toBe(10);
    expect(await charge(key, 11)).toMatchObject({ charged: false, creditLimit: 10, remaining: 10 });
    await expectExact(key);
  });
});

describe('a grant', () => {
  it('that has ended is not used, and one that was taken back cannot be taken back again', async () => {
    const key = await openAccount(10);
    const [ends, stays] = [await grant(key, 10, 24), await grant(key, 10)];
    await dataSource.query('UPDATE prepaid_grant SET ends_at = now() WHERE id = $1', [ends]);
    expect(await left(key)).toBe(20);
    await expect(revoke(key, ends)).rejects.toMatchObject({ code: 'status_unchanged' });
    await revoke(key, stays);
    await expect(revoke(key, stays)).rejects.toMatchObject({ code: 'status_unchanged' });
    await expect(revoke(await openAccount(1), stays)).rejects.toMatchObject({
      code: 'prepaid_grant_not_found',
    });
    expect(await left(key)).toBe(10);
    await expectExact(key);
  });

  it('is missed by reconciliation where something has changed it beside the ledger', async () => {
    const key = await openAccount(10);
    const id = await grant(key, 20);
    await charge(key, 15);
    await expectExact(key);
    await queryAs(database.ownerUrl, 'UPDATE prepaid_grant SET remaining = remaining - 1 WHERE id = $1', [
      id,
    ]);
    const { breaches } = await new CreditReconciliationRepository(dataSource).check([key.accountId]);
    expect(breaches).toMatchObject([{ subject: 'account', subjectId: key.accountId, problems: ['prepaid'] }]);
  });

  it('is one of at most 100 of which something is left', async () => {
    const key = await openAccount(10);
    const ids: string[] = [];
    for (let count = 0; count < 100; count++) ids.push(await grant(key, 1));
    await expect(grant(key, 1)).rejects.toMatchObject({ code: 'prepaid_limit_reached' });
    await revoke(key, ids[0]!);
    await grant(key, 1);
    expect(await left(key)).toBe(110);
  });
});

it('any sequence of charges, holds, refunds, grants and periods leaves all sums exact', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('charge' as const), cost: fc.integer({ min: 1, max: 25 }) }),
    fc.record({ do: fc.constant('hold' as const), cost: fc.integer({ min: 1, max: 25 }) }),
    fc.record({
      do: fc.constant('grant' as const),
      amount: fc.integer({ min: 1, max: 40 }),
      hours: fc.option(fc.integer({ min: 1, max: 9 })),
    }),
    fc.record({
      do: fc.constantFrom('refund' as const, 'capture' as const, 'release' as const),
      place: fc.nat(30),
      part: fc.integer({ min: 0, max: 25 }),
    }),
    fc.record({
      do: fc.constantFrom('revoke' as const, 'period' as const, 'lapse' as const, 'end' as const),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const key = await openAccount(20);
      const requests: string[] = [];
      const grants: string[] = [];
      const outcomes: unknown[][] = [];
      for (const one of steps) {
        const request = 'place' in one ? (requests[one.place % Math.max(1, requests.length)] ?? 'none') : '';
        if (one.do === 'grant') grants.push(await grant(key, one.amount, one.hours));
        else if (one.do === 'charge' || one.do === 'hold') {
          const requestId = randomUUID();
          const had = (await left(key))!;
          const outcome = await charge(key, one.cost, requestId, one.do === 'hold' ? 600 : undefined);
          const after = outcome.charged ? outcome.remaining : 'refused';
          outcomes.push([after, one.cost <= had ? had - one.cost : 'refused']);
          requests.push(requestId);
        } else if (one.do === 'refund') await ledger.refund(key.accountId, request);
        else if (one.do === 'capture') await ledger.capture(key.accountId, request, one.part);
        else if (one.do === 'release') await ledger.release(key.accountId, request);
        else if (one.do === 'revoke' && grants.length > 0)
          await revoke(key, grants.at(-1)!).catch((error: { code?: string }) => {
            if (error.code !== 'status_unchanged') throw error;
          });
        else if (one.do === 'period') await endPeriod(key);
        else if (one.do === 'lapse')
          await dataSource.query('UPDATE credit_hold SET deadline = now() WHERE account_id = $1', [
            key.accountId,
          ]);
        else if (one.do === 'end' && grants[0])
          await dataSource.query('UPDATE prepaid_grant SET ends_at = now() WHERE id = $1', [grants[0]]);
      }
      expect(outcomes.map(([actual]) => actual)).toEqual(outcomes.map(([, expected]) => expected));
      // Holds that have lapsed end, and the period is the current one.
      await dataSource.transaction((em) =>
        new CreditRepository(dataSource).lock([key.keyId], [key.accountId], em),
      );
      await expectExact(key);
    }),
    { numRuns: 60 },
  );
});
