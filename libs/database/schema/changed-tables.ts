import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { findChangedDefinitions } from './sql-definitions';
import { hasTable } from './earlier-schema';

/** What a statement changes that others may be using: it waits for their transactions, and they for it. */
const CHANGES =
  /\b(?:ALTER TABLE|DROP TABLE|LOCK TABLE|TRUNCATE|(?:CREATE|DROP) (?:UNIQUE )?(?:INDEX|TRIGGER)\b[^;]*? ON) (?:IF EXISTS )?(?:ONLY )?([a-z_][a-z_.]*)/gi;

/** For the first table, while nothing is held. */
const FIRST_MS = 2_000;
/** For all others together: a server looks for deadlocks among those who have waited for a second. */
const OTHERS_MS = 800;

type Database = Pick<EntityManager, 'query'>;

/**
 * Locks every table and view that migrations change, before the first of them, and in little time: a migration that waited for a
 * table while it held another would end in a deadlock with a request that has the one and needs the other.
 *
 * @param database in the transaction of the migrations
 * @param migrations those that are about to run
 * @throws the driver's error, 55P03, when one is in use for too long: roll back, and begin again
 */
export async function lockChangedTables(
  database: EntityManager,
  migrations: MigrationInterface[],
): Promise<void> {
  const changed = await existing(database, [
    ...(await findTables(database, migrations)),
    ...(await findViews(database)),
  ]);
  for (const [index, table] of changed.entries()) {
    const ms = index === 0 ? FIRST_MS : Math.max(50, Math.round(OTHERS_MS / changed.length));
    await database.query(`SET LOCAL lock_timeout = ${ms}`);
    await database.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  }
  await database.query(`SET LOCAL lock_timeout = ${FIRST_MS}`);
}

/** By what the migrations would run: nothing is run but what they read. */
async function findTables(database: EntityManager, migrations: MigrationInterface[]): Promise<string[]> {
  const statements: string[] = [];
  const query = async (sql: string, values?: unknown[]): Promise<unknown> => {
    if (/^\s*SELECT\b/i.test(sql)) return database.query(sql, values);
    statements.push(sql);
    return [];
  };
  const recorder = { query, manager: { query } } as unknown as QueryRunner;
  for (const { constructor } of migrations) {
    await database.query('SAVEPOINT recorded');
    // What reads what it has just created fails here, and does not later.
    await new (constructor as new () => MigrationInterface)().up(recorder).catch(() => undefined);
    await database.query('ROLLBACK TO SAVEPOINT recorded');
  }
  return statements.flatMap((sql) => [...sql.matchAll(CHANGES)].map(([, table]) => table!));
}

async function findViews(database: Database): Promise<string[]> {
  if (!(await hasTable(database, 'sql_definition'))) return [];
  const changed = await findChangedDefinitions(database);
  return changed.flatMap(({ name, kind }) => (kind === 'view' ? [name] : []));
}

/** Each once, those that a database has. */
async function existing(database: Database, names: string[]): Promise<string[]> {
  const rows = await database.query<{ name: string }[]>(
    `SELECT DISTINCT c.oid::regclass::text AS name FROM unnest($1::text[]) AS n (name)
     JOIN pg_class c ON c.oid = to_regclass(n.name) AND c.relkind IN ('r', 'p', 'v') ORDER BY 1`,
    [names],
  );
  return rows.map(({ name }) => name);
}
