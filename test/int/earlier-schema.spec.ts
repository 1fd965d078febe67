import { randomUUID } from 'node:crypto';
import { createDataSource, MIGRATIONS } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { RepairEditedMigrations1797500000000 } from '../../libs/database/schema/1797500000000-repair-edited-migrations';
import { EarlierSchemaError } from '../../libs/database/schema/earlier-schema';
import { EARLIER_MIGRATIONS, FINGERPRINT, MAKE_EARLIER, listMigrations } from '../support/earlier-release';
import { readSqlDefinitions } from '../../libs/database/schema/sql-definitions';
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

/** An earlier release has not seen the migrations after the first, nor what they define anew. */
async function undoLaterMigrations(): Promise<void> {
  const dataSource = await createDataSource(database.ownerUrl, 'test').initialize();
  for (const _ of laterMigrations) await dataSource.undoLastMigration();
  await dataSource.destroy();
}

const laterMigrations = MIGRATIONS.slice(1).map(({ name }) => name);

const REPAIR = RepairEditedMigrations1797500000000.name;

const REPAIRED_UNDO = `${REPAIR} (column key_undo.key_id was renamed to subject_id)`;

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

it('a database with all migrations of earlier releases is continued as it is, with its data', async () => {
  const id = randomUUID();
  await query(
    `INSERT INTO account (id, name, tier, voice_limit, concurrency_limit) VALUES ('${id}', 'Present', 'free', 1, 1)`,
  );
  await query(listMigrations(EARLIER_MIGRATIONS));
  const rows = await query<{ name: string }>('SELECT name FROM sql_definition');
  const dropped = readSqlDefinitions()
    .map(({ name }) => name)
    .filter((name) => !rows.some((row) => row.name === name));
  expect(await migrate()).toEqual([
    ...laterMigrations.map((name) => (name === REPAIR ? REPAIRED_UNDO : name)),
    ...dropped,
  ]);
  expect(await migrate()).toEqual([]);
  expect(await query('SELECT name FROM migration ORDER BY timestamp')).toEqual(
    MIGRATIONS.map(({ name }) => ({ name })),
  );
  expect(await query('SELECT id FROM account')).toEqual([{ id }]);
});

it('what a later release has added stays', async () => {
  await query(listMigrations(EARLIER_MIGRATIONS));
  await migrate();
  await query(MAKE_EARLIER);
  await query(listMigrations([...EARLIER_MIGRATIONS, ...laterMigrations.filter((name) => name !== REPAIR)]));
  expect(await migrate()).toEqual([REPAIRED_UNDO]);
  expect(await query('SELECT name FROM migration ORDER BY timestamp')).toEqual(
    MIGRATIONS.map(({ name }) => ({ name })),
  );
});
