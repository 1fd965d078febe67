import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
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
