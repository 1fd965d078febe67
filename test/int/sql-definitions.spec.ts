import { Client } from 'pg';
import { migrateDatabase } from '../../libs/database/migrate';
import { RELEASE } from '../../libs/database/schema/release';
import { NewerSchemaError } from '../../libs/database/schema/schema-state';
import { readSqlDefinitions } from '../../libs/database/schema/sql-definitions';
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

const migrate = () => migrateDatabase(database.ownerUrl, database.url);

const namesOf = (kind: 'function' | 'view') =>
  readSqlDefinitions()
    .filter((definition) => definition.kind === kind)
    .map(({ name }) => name)
    .sort();

/** Functions and views of our schemas, not those of extensions, with their full definitions. */
const IN_DATABASE = `
SELECT * FROM (
  SELECT p.proname AS name, 'function' AS kind, pg_get_functiondef(p.oid) AS definition, p.proacl::text AS rights
  FROM pg_proc p WHERE p.pronamespace IN ('public'::regnamespace, 'staff_auth'::regnamespace)
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  UNION ALL
  SELECT c.relname, 'view', pg_get_viewdef(c.oid), c.relacl::text
  FROM pg_class c WHERE c.relnamespace IN ('public'::regnamespace, 'staff_auth'::regnamespace) AND c.relkind IN ('v', 'm')
) AS found ORDER BY name, definition`;

interface InDatabase {
  name: string;
  kind: 'function' | 'view';
  definition: string;
  rights: string | null;
}

it.each(['function', 'view'] as const)(
  'the database has every %s that has a file, and no other',
  async (kind) => {
    const found = (await query<InDatabase>(IN_DATABASE)).filter((row) => row.kind === kind);
    expect(found.map(({ name }) => name)).toEqual(namesOf(kind));
  },
);

it('the functions and views in the database are those of the files, with their parameters and settings', async () => {
  const client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    const { rows: before } = await client.query<InDatabase>(IN_DATABASE);
    for (const { text } of readSqlDefinitions()) await client.query(text);
    const { rows: after } = await client.query<InDatabase>(IN_DATABASE);
    expect(before).toEqual(after);
  } finally {
    await client.end();
  }
});

it('the functions of credits left cost a charge nothing: the planner puts their expressions in the place of the calls', async () => {
  const rows = await query<{ 'QUERY PLAN': string }>(
    `EXPLAIN (VERBOSE) SELECT usable_credits(credit_limit, granted), credits_left(credit_limit, granted, used),
       credit_share(credit_limit, granted, used, period_end) FROM credit_balance`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('(credit_limit + granted) - used');
  expect(plan).not.toMatch(/usable_credits|credits_left|credit_share/);
});

it('each file begins with a comment that says what it is for', () => {
  const files = readSqlDefinitions().map(({ name, text }) => ({ name, comment: /^-- .{20}/.test(text) }));
  expect(files.filter(({ comment }) => !comment)).toEqual([]);
});

/** An earlier text of a function, as a database has it whose release was older. */
const EARLIER_ADD_USED = `
CREATE OR REPLACE FUNCTION add_used(ids uuid[], of_period timestamptz, amount bigint) RETURNS void LANGUAGE sql AS '';
UPDATE sql_definition SET sha256 = 'earlier' WHERE name = 'add_used'`;

it('a function whose text has changed is replaced by the next migration, and keeps its rights', async () => {
  await query(
    `REVOKE EXECUTE ON FUNCTION add_used FROM PUBLIC; GRANT EXECUTE ON FUNCTION add_used TO greenroom_app`,
  );
  const requested = await query<InDatabase>(IN_DATABASE);
  await query(EARLIER_ADD_USED);
  expect(await query(IN_DATABASE)).not.toEqual(requested);
  expect(await migrate()).toEqual(['add_used']);
  expect(await query(IN_DATABASE)).toEqual(requested);
  expect(await migrate()).toEqual([]);
});

it('an earlier release refuses the database of a newer one, and replaces none of its functions', async () => {
  await query(EARLIER_ADD_USED);
  await query(`INSERT INTO migration (timestamp, name) VALUES (1999000000000, 'FromTheFuture1999000000000')`);
  const before = await query(IN_DATABASE);
  const refusal = migrate();
  await expect(refusal).rejects.toThrow(NewerSchemaError);
  await expect(refusal).rejects.toThrow(
    /^A later release \(FromTheFuture1999000000000\) created this database, or has migrated it; this one is \d+\.\d+\.\d+\. Install that release/,
  );
  expect(await query(IN_DATABASE)).toEqual(before);
});

it('a database that a later release has migrated names it, also where that added no migration', async () => {
  await query(EARLIER_ADD_USED);
  await query(`INSERT INTO schema_release (version) VALUES ('0.9.0'), ('99.2.0')
    ON CONFLICT DO NOTHING`);
  const before = await query(IN_DATABASE);
  await expect(migrate()).rejects.toThrow(
    `A later release (99.2.0) created this database, or has migrated it; this one is ${RELEASE.version}.`,
  );
  expect(await query(IN_DATABASE)).toEqual(before);
});

it('a release that migrates a database is stored with the schema, once', async () => {
  await migrate();
  expect(await query('SELECT version FROM schema_release')).toEqual([{ version: RELEASE.version }]);
});

it('when one function cannot be replaced, none is', async () => {
  await query(EARLIER_ADD_USED);
  await query(`
    DROP FUNCTION take_generation_slot;
    CREATE FUNCTION take_generation_slot(p_account_id uuid, p_id text, p_limit int, p_lease_ms int)
      RETURNS int LANGUAGE sql AS 'SELECT 1';
    UPDATE sql_definition SET sha256 = 'earlier' WHERE name = 'take_generation_slot'`);
  const before = await query(IN_DATABASE);
  await expect(migrate()).rejects.toThrow(/cannot change return type/);
  expect(await query(IN_DATABASE)).toEqual(before);
});

it('the application can read which functions were applied, and change none', async () => {
  expect(await queryAs(database.url, 'SELECT name FROM sql_definition')).toHaveLength(
    readSqlDefinitions().length,
  );
  await expect(queryAs(database.url, `UPDATE sql_definition SET sha256 = ''`)).rejects.toThrow(
    /permission denied/,
  );
  const { text } = readSqlDefinitions()[0]!;
  await expect(queryAs(database.url, text)).rejects.toThrow(/permission denied|must be owner/);
});
