import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { OneWritingOfAddresses1797291000000 } from '../../libs/database/schema/1797291000000-one-writing-of-addresses';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
});

async function onDatabase<T>(
  run: (dataSource: ReturnType<typeof createDataSource>) => Promise<T>,
): Promise<T> {
  const dataSource = await createDataSource(database.ownerUrl, 'test').initialize();
  try {
    return await run(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

it('entities and migrations describe the same schema', async () => {
  const log = await onDatabase((dataSource) => dataSource.driver.createSchemaBuilder().log());
  // Check constraints stand in the migrations only.
  const drift = log.upQueries
    .map(({ query }) => query)
    .filter((query) => !/DROP CONSTRAINT "\w+_check"$/.test(query));
  expect(drift).toEqual([]);
});

it('a migrated database has nothing left to do', async () => {
  expect(await migrateDatabase(database.ownerUrl, database.url)).toEqual([]);
});

it('lines of the ledger are the same after the migration that narrows them', async () => {
  const found = () =>
    queryAs<object>(
      database.ownerUrl,
      `SELECT id, account_id, key_id, maker_ids, period_start, kind, amount, operation, request_id, created_at, actor, key_limit,
         account_limit, maker_limits FROM credit_ledger ORDER BY id`,
    );
  await onDatabase(async (dataSource) => {
    while (
      await dataSource
        .query<unknown[]>(`SELECT FROM pg_class WHERE relname = 'ledger_line'`)
        .then(({ length }) => length)
    )
      await dataSource.undoLastMigration();
  });
  await queryAs(database.ownerUrl, EARLIER_LEDGER);
  const before = await found();
  expect(before).toHaveLength(9);
  await migrateDatabase(database.ownerUrl, database.url);
  expect(await found()).toEqual(before);
  const partitions = await queryAs<{ lines: number }>(
    database.ownerUrl,
    'SELECT count(*)::int AS lines FROM ledger_line GROUP BY tableoid ORDER BY 1',
  );
  expect(partitions).toEqual([{ lines: 2 }, { lines: 7 }]);
});

/** An account, a key and one that it has created, with ids of requests of every form, in two months, one of them long ago. */
const EARLIER_LEDGER = `
  INSERT INTO credit_balance (subject_id, subject, account_id, period_anchor, period_start, period_end)
  SELECT md5(id)::uuid, CASE id WHEN 'account' THEN 'account' ELSE 'key' END, md5('account')::uuid, now(), now(), now() + interval '1 month'
  FROM unnest(ARRAY['account', 'key', 'child']) id;
  INSERT INTO credit_ledger (account_id, key_id, maker_ids, period_start, kind, amount, operation, request_id, actor, key_limit,
    account_limit, maker_limits)
  SELECT md5('account')::uuid, CASE WHEN kind <> 'grant' THEN md5('child')::uuid END,
    CASE WHEN kind <> 'grant' THEN ARRAY[md5('key')::uuid] END, date_trunc('month', now(), 'UTC') - ago, kind, n, 'operation ' || n % 2, id,
    CASE kind WHEN 'grant' THEN 'ana' END, 10, NULL, CASE WHEN kind <> 'grant' THEN ARRAY[NULL, 7] END
  FROM (VALUES
    (1, 'charge', '0123456789abcdef0123456789abcdef', interval '0'),
    (2, 'charge', 'service/0123456789abcdef0123456789abcdef', '0'),
    (3, 'hold', '01234567-89ab-cdef-0123-456789abcdef', '0'),
    (4, 'release', '01234567-89ab-cdef-0123-456789abcdef', '0'),
    (5, 'charge', 'service/01234567-89ab-cdef-0123-456789abcdef', '0'),
    (6, 'charge', '0123456789ABCDEF0123456789abcdef', '0'),
    (7, 'charge', 'service/any "text" \\ ß', '0'),
    (8, 'refund', 'service/any "text" \\ ß', '6 months'),
    (9, 'grant', 'service/0123456789abcdef0123456789abcdex', '6 months')
  ) AS v (n, kind, id, ago)`;

it('addresses of members get their one writing, unless two would become the same', async () => {
  const emails = [
    'ana@münchen.example',
    'bo@münchen.example',
    'bo@xn--mnchen-3ya.example',
    'cy@plain.example',
  ];
  await queryAs(
    database.ownerUrl,
    `INSERT INTO staff_auth.member (id, name, email, role)
     SELECT gen_random_uuid(), 'x', email, 'ops' FROM unnest(ARRAY['${emails.join("', '")}']) AS email`,
  );
  await onDatabase(async (dataSource) => {
    const runner = dataSource.createQueryRunner();
    await new OneWritingOfAddresses1797291000000().up(runner);
    await runner.release();
  });
  const found = await queryAs<{ email: string }>(
    database.ownerUrl,
    'SELECT email FROM staff_auth.member ORDER BY email COLLATE "C"',
  );
  expect(found.map(({ email }) => email)).toEqual(
    ['ana@xn--mnchen-3ya.example', ...emails.slice(1)].toSorted(),
  );
});

it('every migration can be reverted and applied again, by six processes at once', async () => {
  await onDatabase(async (dataSource) => {
    for (const _ of dataSource.migrations) await dataSource.undoLastMigration();
    await dataSource.query('DROP SCHEMA bullmq CASCADE');
    const tables = await dataSource.query<{ tablename: string }[]>(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
    );
    expect(tables.map(({ tablename }) => tablename)).toEqual(['migration']);
  });
  const runs = await Promise.all(
    Array.from({ length: 6 }, () => migrateDatabase(database.ownerUrl, database.url)),
  );
  expect(runs.filter((applied) => applied.length > 0)).toHaveLength(1);
  expect(await queryAs(database.url, 'SELECT FROM bullmq.job')).toEqual([]);
});
