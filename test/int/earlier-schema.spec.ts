import { randomUUID } from 'node:crypto';
import { createDataSource, MIGRATIONS } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { EarlierSchemaError, FIRST_MIGRATION } from '../../libs/database/schema/earlier-schema';
import { readSqlDefinitions } from '../../libs/database/schema/sql-definitions';
import { carryOverFromDocuments, FINGERPRINT, MAKE_EARLIER } from '../support/earlier-release';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  await undoLaterMigrations();
  await query(MAKE_EARLIER);
});

afterEach(async () => {
  await database.drop();
});

async function query<T>(sql: string): Promise<T[]> {
  return queryAs<T>(database.ownerUrl, sql);
}

/** An earlier release has not seen the migrations after the first. */
async function undoLaterMigrations(): Promise<void> {
  const dataSource = await createDataSource(database.ownerUrl, 'test').initialize();
  for (const _ of MIGRATIONS.slice(1)) await dataSource.undoLastMigration();
  await dataSource.destroy();
}

const migrate = () => migrateDatabase(database.ownerUrl, database.url);

it('a database of an earlier release is refused with what to do, and nothing in it changes', async () => {
  const before = await query(FINGERPRINT);
  const refusal = migrate();
  await expect(refusal).rejects.toThrow(EarlierSchemaError);
  await expect(refusal).rejects.toThrow(
    /^An earlier release created this database, and nothing in it was changed: carry it over as described under "Data of an earlier release" in docs\/operations\.md, or set another DATA_DIR or DATABASE_URL/,
  );
  expect(await query(FINGERPRINT)).toEqual(before);
});

it('the statements in docs/operations.md carry it over with its data', async () => {
  const id = randomUUID();
  await query(
    `INSERT INTO account (id, name, tier, voice_limit, concurrency_limit) VALUES ('${id}', 'Kept', 'free', 1, 1)`,
  );
  await query(carryOverFromDocuments());
  const later = MIGRATIONS.filter(({ name }) => name !== FIRST_MIGRATION);
  expect(await migrate()).toEqual([...later, ...readSqlDefinitions()].map(({ name }) => name));
  expect(await migrate()).toEqual([]);
  expect(await query('SELECT id FROM account')).toEqual([{ id }]);
  expect(await query(`SELECT FROM pg_proc WHERE proname = 'settle_charges'`)).toEqual([]);
});

it('the statements change nothing in a database that lacks migrations of its release', async () => {
  await query(`DELETE FROM migration WHERE name = 'StaffSignIn1795860000000'`);
  const before = await query(FINGERPRINT);
  await expect(query(carryOverFromDocuments())).rejects.toThrow(/lacks migrations of its release/);
  expect(await query(FINGERPRINT)).toEqual(before);
});
