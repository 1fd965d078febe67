import { randomUUID } from 'node:crypto';
import { migrateDatabase } from '../../libs/database/migrate';
import { EarlierSchemaError } from '../../libs/database/schema/earlier-schema';
import { readSqlDefinitions } from '../../libs/database/schema/sql-definitions';
import { carryOverFromDocuments, FINGERPRINT, MAKE_EARLIER } from '../support/earlier-release';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  await query(MAKE_EARLIER);
});

afterEach(async () => {
  await database.drop();
});

async function query<T>(sql: string): Promise<T[]> {
  return queryAs<T>(database.ownerUrl, sql);
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
  expect(await migrate()).toEqual(readSqlDefinitions().map(({ name }) => name));
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
