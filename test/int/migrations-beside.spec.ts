import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { allowNewRelations } from '../../libs/database/common/application-role';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { RepairEditedMigrations1797500000000 } from '../../libs/database/schema/1797500000000-repair-edited-migrations';
import { EmergencyPasswords1797501700000 } from '../../libs/database/schema/1797501700000-emergency-passwords';
import { eventually } from '../support/eventually';
import { queryAs, whileLocked } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let notes: string[];

beforeEach(async () => {
  notes = [];
  database = await createTestDatabase();
});

afterEach(async () => database.drop());

const query = async <T>(sql: string) => queryAs<T>(database.ownerUrl, sql);

const migrate = async (besideRunning = false) =>
  migrateDatabase(database.ownerUrl, database.url, { besideRunning, onNote: (note) => notes.push(note) });

const REPAIR = RepairEditedMigrations1797500000000.name;
const LAST = EmergencyPasswords1797501700000.name;

/** The migration that renames what processes of an earlier release read has not run. */
const BEFORE_RENAMING = `
ALTER TABLE key_undo RENAME COLUMN subject_id TO key_id;
DELETE FROM migration WHERE name = '${REPAIR}';`;

/** A migration that only adds has not run. */
const BEFORE_ADDING = `
ALTER TABLE staff_auth.member DROP COLUMN emergency_until;
DELETE FROM migration WHERE name = '${LAST}';`;

const report = async () =>
  query(`INSERT INTO api_load (id, name, requests, refusals, requests_per_sec, refusals_per_sec)
    VALUES ('00000000-0000-4000-8000-00000000000a', 'api one/7', 0, 0, 0, 0)
    ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()`);

/** A process that reports while something runs, as an api does. */
async function whileReporting<T>(run: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const reporting = (async () => {
    while (!over.signal.aborted) {
      await report();
      await pause(100);
    }
  })();
  try {
    await report();
    return await run();
  } finally {
    over.abort();
    await reporting;
  }
}

it('beside a process that is heard, what it uses is not taken away: it is named, and nothing is changed', async () => {
  await query(BEFORE_RENAMING);
  await whileReporting(async () => {
    await expect(migrate()).rejects.toThrow(
      `Processes of an earlier release run on this database (api one/7), and the migrations take from them what they use: ${REPAIR} takes the column key_undo.key_id`,
    );
    expect(await query('SELECT key_id FROM key_undo')).toEqual([]);
    expect(notes).toEqual([
      expect.stringContaining('No process of an earlier release can run beside these migrations: '),
    ]);
    expect(await migrate(true)).toEqual([`${REPAIR} (column key_undo.key_id was renamed to subject_id)`]);
  });
});

it('what only adds runs beside it, without a word', async () => {
  await query(BEFORE_ADDING);
  expect(await whileReporting(migrate)).toEqual([LAST]);
  expect(notes).toEqual([]);
});

it('a process that ended without a word is waited for, and then no longer in the way', async () => {
  await query(BEFORE_RENAMING);
  await report();
  expect(await migrate()).toHaveLength(1);
});

it('a table that is in use is waited for with pauses in which others come first', async () => {
  await query(BEFORE_ADDING);
  const migrated = await whileLocked(database.ownerUrl, 'staff_auth.member', async () => {
    const running = migrate();
    await pause(2_500);
    expect(notes).toEqual([expect.stringMatching(/^A table that changes is in use \(.*lock timeout\): /)]);
    return { running };
  });
  expect(await migrated.running).toEqual([LAST]);
});

/** As the release before left it: the migrations since, which change several tables, have not run. */
async function undoMigrationsTo(name: string): Promise<void> {
  const dataSource = await createDataSource(database.ownerUrl, 'test').initialize();
  while (
    (await query<{ name: string }>('SELECT name FROM migration ORDER BY timestamp DESC'))[0]!.name !== name
  )
    await dataSource.undoLastMigration();
  await dataSource.destroy();
}

it('a request that has one of its tables and needs another comes first, and nothing deadlocks', async () => {
  await undoMigrationsTo('SchemaReleases1797500010000');
  const request = new Client({ connectionString: database.ownerUrl });
  await request.connect();
  await request.query('BEGIN; LOCK TABLE staff_auth.member IN ROW EXCLUSIVE MODE');
  const migrating = migrate();
  const isLocked = `SELECT FROM pg_locks WHERE relation = 'audit_event'::regclass AND mode = 'AccessExclusiveLock' AND granted`;
  await eventually(async () => expect(await query(isLocked)).toHaveLength(1));
  await request.query('LOCK TABLE audit_event IN ROW EXCLUSIVE MODE; COMMIT');
  await request.end();
  expect(await migrating).toEqual(expect.arrayContaining([LAST]));
  expect(
    await query('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()'),
  ).toEqual([{ deadlocks: 0 }]);
});

it('what it creates may be used by processes that run as soon as it is there, and no more than it has to be', async () => {
  await query('REVOKE ALL ON prepaid_grant, audit_event FROM greenroom_app');
  await createDataSource(database.ownerUrl, 'test')
    .initialize()
    .then(async (owner) => {
      await owner.transaction((em) => allowNewRelations(em, database.url));
      await owner.destroy();
    });
  const granted = await query(
    `SELECT table_name AS table, string_agg(privilege_type, ' ' ORDER BY privilege_type) AS rights
     FROM information_schema.role_table_grants
     WHERE grantee = 'greenroom_app' AND table_name IN ('prepaid_grant', 'audit_event') GROUP BY 1 ORDER BY 1`,
  );
  expect(granted).toEqual([
    { table: 'audit_event', rights: 'INSERT SELECT' },
    { table: 'prepaid_grant', rights: 'DELETE INSERT SELECT UPDATE' },
  ]);
});
