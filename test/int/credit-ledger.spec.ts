import { CreditLedger, type Charge } from '../../libs/credits/credit-ledger';
import { createDataSource, dataSourceOptions } from '../../libs/database/data-source';
import { CreditReconciliationRepository } from '../../libs/database/credits/credit-reconciliation.repository';
import { CreditLedgerRepository } from '../../libs/database/credits/credit-ledger.repository';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { eventually } from '../support/eventually';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let dataSource: DataSource;
let otherDataSource: DataSource;
let credits: CreditRepository;
let ledger: CreditLedger;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  otherDataSource = await createDataSource(database.url, 'test-other').initialize();
  credits = new CreditRepository(dataSource);
  ledger = new CreditLedger(credits);
});

afterAll(async () => {
  await dataSource.destroy();
  await otherDataSource.destroy();
  await database.drop();
});

/** An account and one key of it, with their limits per billing period. */
async function openBalances(
  accountLimit: number,
  keyLimit: number | null,
): Promise<{ accountId: string; keyId: string }> {
  const accountId = randomUUID();
  const keyId = randomUUID();
  await dataSource.transaction(async (em) => {
    await credits.openAccountBalance(accountId, accountLimit, em);
    await credits.openKeyBalance(keyId, accountId, keyLimit, em);
  });
  return { accountId, keyId };
}

const charge = (key: { accountId: string; keyId: string }, cost: number, requestId: string = randomUUID()) =>
  ledger.charge({ ...key, cost, operation: 'test', requestId });

async function used(subjectId: string): Promise<number | undefined> {
  return (await new CreditLedgerRepository(dataSource).findCurrent(subjectId))?.used;
}

async function ledgerSum(column: 'key_id' | 'account_id', id: string): Promise<number> {
  const rows = await dataSource.query<{ sum: string | null }[]>(
    `SELECT sum(amount) FROM credit_ledger WHERE ${column} = $1`,
    [id],
  );
  return Number(rows[0]?.sum ?? 0);
}

/** What makes the balances of an account and its key another case, and what is left then of 50 and 30 after a charge of 10. */
const LEFT: [string, (key: { accountId: string; keyId: string }) => Promise<unknown>, number | null][] = [
  ['nothing else', async () => {}, 20],
  ['a key without a limit', (key) => setBalance('credit_limit = NULL', key.keyId), 40],
  ['no limit at all', (key) => setBalance('credit_limit = NULL', key.keyId, key.accountId), null],
  ['a limit below what was used', (key) => setBalance('credit_limit = 4', key.keyId), 0],
  [
    'a hold',
    (key) => ledger.charge({ ...key, cost: 7, operation: 'test', requestId: 'held', holdSecs: 60 }),
    13,
  ],
  [
    'a hold whose deadline has passed',
    async (key) => {
      await ledger.charge({ ...key, cost: 7, operation: 'test', requestId: 'lapsed', holdSecs: 60 });
      await dataSource.query('UPDATE credit_hold SET deadline = now() WHERE account_id = $1', [
        key.accountId,
      ]);
    },
    20,
  ],
  ['a period that has ended', (key) => setBalance(ENDED, key.keyId, key.accountId), 30],
  ['a period that has ended for the key only', (key) => setBalance(ENDED, key.keyId), 30],
];

const ENDED = `period_anchor = period_anchor - interval '40 days', period_start = period_start - interval '40 days', period_end = now()`;

const setBalance = (change: string, ...ids: string[]) =>
  queryAs(database.ownerUrl, `UPDATE credit_balance SET ${change} WHERE subject_id = ANY ($1)`, [ids]);

describe('what is left', () => {
  it('is read together for keys of every kind, each as its balances have it', async () => {
    const keys = await Promise.all(LEFT.map(() => openBalances(50, 30)));
    await Promise.all(keys.map((key) => charge(key, 10)));
    for (const [index, [, change]] of LEFT.entries()) await change(keys[index]!);
    const found = await Promise.all(
      [...keys, { accountId: randomUUID(), keyId: randomUUID() }].map(async (key) =>
        ledger.remaining({ ...key, endUser: null, operation: null }),
      ),
    );
    expect(found.map(({ remaining }, index) => [LEFT[index]?.[0], remaining])).toEqual([
      ...LEFT.map(([name, , left]) => [name, left]),
      [undefined, null],
    ]);
  });
});

describe('charge', () => {
  it('grants exactly the available credits, however many requests arrive at once, from two processes', async () => {
    const key = await openBalances(1_000, 30);
    const other = new CreditLedger(new CreditRepository(otherDataSource));
    const charges = Array.from({ length: 200 }, (_, index) =>
      (index % 2 ? ledger : other).charge({ ...key, cost: 1, operation: 'test', requestId: randomUUID() }),
    );
    const granted = (await Promise.all(charges)).filter((result) => result.charged);
    expect(granted).toHaveLength(30);
    expect(await used(key.keyId)).toBe(30);
    expect(await ledgerSum('key_id', key.keyId)).toBe(30);
    expect(await ledgerSum('account_id', key.accountId)).toBe(30);
  });

  it('refuses what does not fit and still grants a smaller one behind it in the same batch', async () => {
    const key = await openBalances(1_000, 10);
    const results = await Promise.all([charge(key, 6), charge(key, 6), charge(key, 4)]);
    expect(results.map((result) => result.charged)).toEqual([true, false, true]);
    expect(await used(key.keyId)).toBe(10);
  });

  it('says whose limit refused, with limit and remaining', async () => {
    const tightKey = await openBalances(1_000, 10);
    expect(await charge(tightKey, 11)).toEqual<Charge>({
      charged: false,
      reason: 'insufficient_credits',
      scope: 'key',
      creditLimit: 10,
      remaining: 10,
    });
    const tightAccount = await openBalances(5, null);
    expect(await charge(tightAccount, 6)).toMatchObject({ scope: 'account', creditLimit: 5, remaining: 5 });
  });

  it('charges a repeated request id once, in one batch or later, and refuses it with another cost', async () => {
    const key = await openBalances(1_000, 100);
    const results = await Promise.all([charge(key, 7, 'r1'), charge(key, 7, 'r1')]);
    expect(results.map((result) => result.charged && result.repeated)).toEqual([false, true]);
    expect(await charge(key, 7, 'r1')).toMatchObject({ charged: true, repeated: true });
    expect(await charge(key, 8, 'r1')).toEqual({ charged: false, reason: 'request_id_conflict' });
    expect(await used(key.keyId)).toBe(7);
  });

  it('knows no key without a balance', async () => {
    const result = await charge({ keyId: randomUUID(), accountId: randomUUID() }, 1);
    expect(result).toEqual({ charged: false, reason: 'unknown_key' });
  });

  it('shares the limit of the account among its keys', async () => {
    const first = await openBalances(10, null);
    const secondId = randomUUID();
    await credits.openKeyBalance(secondId, first.accountId, null, dataSource.manager);
    expect(await charge(first, 6)).toMatchObject({ charged: true });
    expect(await charge({ ...first, keyId: secondId }, 6)).toMatchObject({
      charged: false,
      scope: 'account',
      remaining: 4,
    });
  });
});

describe('limits', () => {
  it('that a transaction sets one after the other, in any order, deadlock with no charge', async () => {
    const { accountId, keyId } = await openBalances(1_000, null);
    const otherId = randomUUID();
    await dataSource.transaction((em) => credits.openKeyBalance(otherId, accountId, null, em));
    const [first, last] = [keyId, otherId].toSorted() as [string, string];
    const set = (subjectId: string, em: EntityManager) =>
      credits.setLimits([{ subjectId, creditLimit: 10 }], em);
    const charges = dataSource.transaction(async (em) => {
      await set(last, em);
      const waiting = Promise.allSettled([first, last].map((id) => charge({ accountId, keyId: id }, 1)));
      await eventually(async () => {
        const [row] = await queryAs<{ waiting: number }>(
          database.ownerUrl,
          `SELECT count(*)::int AS waiting FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(row!.waiting).toBe(1);
      });
      await set(first, em);
      return { waiting };
    });
    const outcomes = await (await charges).waiting;
    expect(outcomes).toMatchObject(outcomes.map(() => ({ status: 'fulfilled', value: { charged: true } })));
    expect([await used(first), await used(last)]).toEqual([1, 1]);
  });
});

describe('an account that fails', () => {
  const PROMPT_MS = 2_000;

  /** Locks the balances of accounts, as a transaction of another process does, until `unlock`. */
  async function lock(...accountIds: string[]): Promise<{ unlock: () => Promise<void> }> {
    const runner = otherDataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT 1 FROM credit_balance WHERE subject_id = ANY ($1) FOR UPDATE', [accountIds]);
    return {
      async unlock() {
        await runner.rollbackTransaction();
        await runner.release();
      },
    };
  }

  it.each([
    ['charges', {}],
    ['holds', { holdSecs: 600 }],
  ])('while it is locked, %s of others are settled, and its own once it is not', async (_, options) => {
    const [locked, ...others] = await Promise.all([
      openBalances(1_000, 50),
      openBalances(1_000, 50),
      openBalances(1_000, 50),
    ]);
    const take = (key: { accountId: string; keyId: string }) =>
      ledger.charge({ ...key, cost: 1, operation: 'test', requestId: randomUUID(), ...options });
    const { unlock } = await lock(locked.accountId);
    let isSettled = false;
    const startedAtMs = performance.now();
    const own = [take(locked), take(locked)];
    void Promise.all(own).then(() => (isSettled = true));
    expect(await Promise.all(others.map(take))).toMatchObject(others.map(() => ({ charged: true })));
    own.push(take(locked));
    expect(await Promise.all(others.map(take))).toMatchObject(others.map(() => ({ charged: true })));
    expect(performance.now() - startedAtMs).toBeLessThan(PROMPT_MS);
    expect(isSettled).toBe(false);
    await unlock();
    expect(await Promise.all(own)).toMatchObject(own.map(() => ({ charged: true })));
    expect([await used(locked.accountId), await used(others[0].accountId)]).toEqual([3, 2]);
    expect(await take(locked)).toMatchObject({ charged: true });
  });

  it('is refused alone when it stays locked for longer than a statement may take', async () => {
    const [locked, other] = await Promise.all([openBalances(1_000, 50), openBalances(1_000, 50)]);
    const { unlock } = await lock(locked.accountId);
    const [own, another] = await Promise.allSettled([charge(locked, 1), charge(other, 1)]);
    await unlock();
    expect(own).toMatchObject({ status: 'rejected', reason: { code: '57014' } });
    expect(another).toMatchObject({ status: 'fulfilled', value: { charged: true } });
    expect(await used(locked.accountId)).toBe(0);
  });

  it('is waited for, however many are locked for a moment', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => openBalances(1_000, 50)));
    const ofAnApi = new DataSource(dataSourceOptions(database.url, { applicationName: 'test-api' }));
    const inAnApi = new CreditLedger(new CreditRepository(await ofAnApi.initialize()));
    const { unlock } = await lock(...keys.map(({ accountId }) => accountId));
    const charges = keys.map((key) =>
      inAnApi.charge({ ...key, cost: 1, operation: 'test', requestId: randomUUID() }),
    );
    await setTimeout(2_500);
    await unlock();
    const settled = await Promise.allSettled(charges);
    await ofAnApi.destroy();
    expect(settled).toMatchObject(keys.map(() => ({ status: 'fulfilled', value: { charged: true } })));
  });

  it('for its own rows fails alone', async () => {
    const [broken, other] = await Promise.all([openBalances(1_000, 50), openBalances(1_000, 50)]);
    await ledger.charge({ ...broken, cost: 10, operation: 'test', requestId: 'held', holdSecs: 600 });
    await dataSource.query('UPDATE credit_hold SET deadline = now() WHERE account_id = $1', [
      broken.accountId,
    ]);
    await dataSource.query('UPDATE credit_balance SET used = 0 WHERE subject_id = $1', [broken.accountId]);
    const [own, another] = await Promise.allSettled([charge(broken, 1), charge(other, 1)]);
    expect(own).toMatchObject({ status: 'rejected', reason: { code: '23514' } });
    expect(another).toMatchObject({ status: 'fulfilled', value: { charged: true } });
    await dataSource.query('DELETE FROM credit_hold WHERE account_id = $1', [broken.accountId]);
  });
});

describe('refund', () => {
  it('gives a charge back once', async () => {
    const key = await openBalances(1_000, 50);
    await charge(key, 20, 'r2');
    expect(await ledger.refund(key.accountId, 'r2')).toBe(20);
    expect(await ledger.refund(key.accountId, 'r2')).toBe(0);
    expect(await used(key.keyId)).toBe(0);
    expect(await ledgerSum('key_id', key.keyId)).toBe(0);
  });

  it('of a request that was never charged changes nothing', async () => {
    const key = await openBalances(1_000, 50);
    expect(await ledger.refund(key.accountId, 'never')).toBe(0);
  });
});

describe('holds whose deadline has passed', () => {
  it('are ended although those of another account fail', async () => {
    const keys = await Promise.all([
      openBalances(1_000, 50),
      openBalances(1_000, 50),
      openBalances(1_000, 50),
    ]);
    for (const key of keys)
      await ledger.charge({ ...key, cost: 10, operation: 'test', requestId: 'lapsing', holdSecs: 600 });
    const accountIds = keys.map(({ accountId }) => accountId);
    await dataSource.query('UPDATE credit_hold SET deadline = now() WHERE account_id = ANY ($1)', [
      accountIds,
    ]);
    const [broken] = accountIds.toSorted();
    await dataSource.query('UPDATE credit_balance SET used = 0 WHERE subject_id = $1', [broken]);
    await expect(ledger.endLapsedHolds(10)).rejects.toThrow('credit_balance_used_check');
    const left = await dataSource.query('SELECT account_id FROM credit_hold WHERE account_id = ANY ($1)', [
      accountIds,
    ]);
    expect(left).toEqual([{ account_id: broken }]);
    await dataSource.query('UPDATE credit_balance SET used = 10 WHERE subject_id = $1', [broken]);
    expect(await ledger.endLapsedHolds(10)).toBe(1);
  });
});

describe('billing periods', () => {
  const endPeriod = (accountId: string) =>
    dataSource.query(
      `UPDATE credit_balance SET period_anchor = period_anchor - interval '40 days',
         period_start = period_start - interval '40 days', period_end = period_end - interval '40 days'
       WHERE account_id = $1`,
      [accountId],
    );

  it('a new period starts with full credits, and what was used stays in the history', async () => {
    const key = await openBalances(1_000, 30);
    await charge(key, 30);
    await endPeriod(key.accountId);
    expect(await charge(key, 25)).toMatchObject({ charged: true, remaining: 5 });
    const [past] = await dataSource.query<{ used: string }[]>(
      'SELECT used FROM credit_balance_history WHERE subject_id = $1',
      [key.keyId],
    );
    expect(past?.used).toBe('30');
  });

  it('a limit that is set after a period has ended counts from the next one on, and leaves that one as it was', async () => {
    const key = await openBalances(1_000, 30);
    await charge(key, 30);
    await endPeriod(key.accountId);
    await dataSource.transaction((em) => credits.setLimits([{ subjectId: key.keyId, creditLimit: 8 }], em));
    const periods = await dataSource.query(
      `SELECT credit_limit::int AS "limit", used::int FROM credit_balance_history WHERE subject_id = $1
       UNION ALL SELECT credit_limit::int, used::int FROM credit_balance WHERE subject_id = $1`,
      [key.keyId],
    );
    expect(periods).toEqual([
      { limit: 30, used: 30 },
      { limit: 8, used: 0 },
    ]);
  });

  describe('of a key that is still in the period before its account', () => {
    /** As when the charge began before the new period, or the clock of the database has stepped back. */
    async function openApart(accountLimit = 1_000): Promise<{ accountId: string; keyId: string }> {
      const key = await openBalances(accountLimit, 100);
      await dataSource.query(
        `UPDATE credit_balance b SET period_anchor = i.next,
           period_start = CASE b.subject WHEN 'account' THEN i.next ELSE i.next - interval '1 month' END,
           period_end = CASE b.subject WHEN 'account' THEN i.next + interval '1 month' ELSE i.next END
         FROM (SELECT now() + interval '1 hour' AS next) i WHERE b.account_id = $1`,
        [key.accountId],
      );
      return key;
    }
    const hold = (key: { accountId: string; keyId: string }, cost: number, requestId: string) =>
      ledger.charge({ ...key, cost, operation: 'test', requestId, holdSecs: 600 });
    const balanceOf = async ({ accountId, keyId }: { accountId: string; keyId: string }) => {
      const rows = await dataSource.query<{ used: number; periods: number }[]>(
        `SELECT used::int, (SELECT count(DISTINCT period_start)::int FROM credit_balance WHERE account_id = $1) AS periods
         FROM credit_balance WHERE subject_id = ANY ($2) ORDER BY subject`,
        [accountId, [accountId, keyId]],
      );
      const { breaches } = await new CreditReconciliationRepository(dataSource).check([accountId]);
      return { used: rows.map((row) => row.used), periods: rows[0]!.periods, breaches };
    };

    it('a charge counts for both in the period of the account', async () => {
      const key = await openApart();
      expect(await charge(key, 5)).toMatchObject({ charged: true, remaining: 95 });
      expect(await balanceOf(key)).toEqual({ used: [5, 5], periods: 1, breaches: [] });
    });

    it.each([
      ['captured', 4, (accountId: string) => ledger.capture(accountId, 'held', 4)],
      ['released', 0, (accountId: string) => ledger.release(accountId, 'held')],
    ])('a hold is %s', async (_, cost, end) => {
      const key = await openApart();
      expect(await hold(key, 10, 'held')).toMatchObject({ charged: true });
      expect(await end(key.accountId)).toMatchObject({ outcome: 'ended' });
      expect(await balanceOf(key)).toEqual({ used: [cost, cost], periods: 1, breaches: [] });
    });

    it('a hold lapses, and the account is charged afterwards', async () => {
      const key = await openApart();
      await hold(key, 10, 'lapsing');
      await dataSource.query('UPDATE credit_hold SET deadline = now() WHERE account_id = $1', [
        key.accountId,
      ]);
      expect(await charge(key, 3)).toMatchObject({ charged: true });
      expect(await balanceOf(key)).toEqual({ used: [3, 3], periods: 1, breaches: [] });
    });

    it('a key that is ahead of its account takes the account along', async () => {
      const key = await openApart();
      await dataSource.query(
        `UPDATE credit_balance b SET period_start = o.period_start, period_end = o.period_end
         FROM credit_balance o WHERE o.account_id = b.account_id AND o.subject <> b.subject AND b.account_id = $1`,
        [key.accountId],
      );
      expect(await charge(key, 5)).toMatchObject({ charged: true });
      expect(await balanceOf(key)).toEqual({ used: [5, 5], periods: 1, breaches: [] });
    });
  });

  it('a refund goes to the period of its charge', async () => {
    const key = await openBalances(1_000, 30);
    await charge(key, 10, 'r3');
    await queryAs(
      database.ownerUrl,
      `UPDATE ledger_line SET period_start = period_start - interval '40 days' WHERE request_text = 'r3'`,
    );
    await endPeriod(key.accountId);
    await charge(key, 5);
    await ledger.refund(key.accountId, 'r3');
    expect(await used(key.keyId)).toBe(5);
  });

  it.each([
    ['2026-01-31T10:00:00Z', '2026-02-28T09:59:59Z', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z'],
    ['2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z'],
    ['2026-01-15T00:00:00Z', '2026-01-15T00:00:00Z', '2026-01-15T00:00:00Z', '2026-02-15T00:00:00Z'],
    ['2025-12-10T12:00:00Z', '2027-01-10T11:59:59Z', '2026-12-10T12:00:00Z', '2027-01-10T12:00:00Z'],
  ])('anchored at %s, %s lies in %s to %s', async (anchor, instant, start, end) => {
    const [period] = await dataSource.query<{ period_start: Date; period_end: Date }[]>(
      'SELECT * FROM billing_period($1, $2)',
      [anchor, instant],
    );
    expect(period).toEqual({ period_start: new Date(start), period_end: new Date(end) });
  });
});
