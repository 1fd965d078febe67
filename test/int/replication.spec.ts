import { randomUUID } from 'node:crypto';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import { createDataSource } from '../../libs/database/data-source';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await database.drop();
});

async function query<T>(sql: string): Promise<T[]> {
  return queryAs<T>(database.ownerUrl, sql);
}

/** Tables of which a publication of all tables would refuse every UPDATE and DELETE. */
const WITHOUT_IDENTITY = `
SELECT c.oid::regclass::text AS name FROM pg_class c
WHERE c.relkind IN ('r', 'p') AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
  AND c.relpersistence = 'p' AND CASE c.relreplident
    WHEN 'f' THEN false
    WHEN 'd' THEN NOT EXISTS (SELECT FROM pg_index x WHERE x.indrelid = c.oid AND x.indisprimary)
    ELSE NOT EXISTS (SELECT FROM pg_index x WHERE x.indrelid = c.oid AND x.indisreplident) END
ORDER BY name`;

it('every table can be replicated', async () => {
  expect(await query(WITHOUT_IDENTITY)).toEqual([]);
});

it('a table that cannot be is found', async () => {
  await query('CREATE TABLE unidentified (id int)');
  expect(await query(WITHOUT_IDENTITY)).toEqual([{ name: 'unidentified' }]);
});

it('a publication of all tables ends neither new months of the ledger nor charges', async () => {
  await query('CREATE PUBLICATION everything FOR ALL TABLES');
  const dataSource = await createDataSource(database.url, 'test').initialize();
  const credits = new CreditRepository(dataSource);
  const ledger = new CreditLedger(credits);
  const key = { accountId: randomUUID(), keyId: randomUUID() };
  await dataSource.transaction(async (em) => {
    await credits.openAccountBalance(key.accountId, 100, em);
    await credits.openKeyBalance(key.keyId, key.accountId, null, em);
  });
  const charge = async () =>
    (await ledger.charge({ ...key, cost: 1, operation: 'test', requestId: randomUUID() })).charged;
  try {
    // Its lines are in `ledger_line_other` until the month has a partition.
    await query(
      `ALTER TABLE ledger_line DETACH PARTITION ledger_line_${THIS_MONTH}; DROP TABLE ledger_line_${THIS_MONTH}`,
    );
    expect(await charge()).toBe(true);
    expect(await query('SELECT make_ledger_months(0)')).toHaveLength(1);
    expect(await charge()).toBe(true);
    expect(await query(`SELECT count(*)::int FROM ledger_line_${THIS_MONTH}`)).toEqual([{ count: 2 }]);
    expect(await query(WITHOUT_IDENTITY)).toEqual([]);
  } finally {
    await dataSource.destroy();
  }
});

const THIS_MONTH = new Date().toISOString().slice(0, 7).replace('-', '_');
