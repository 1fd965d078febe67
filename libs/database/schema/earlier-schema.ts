import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { InitialSchema1797325000000 } from './1797325000000-initial-schema';

/** The migration that every database begins with. A backup names the one that its database began with. */
export const FIRST_MIGRATION = InitialSchema1797325000000.name;

/** SHA-256 of the names of the migrations that were before it, in order and a space between them: together they created the same schema, but for a name. */
const EARLIER_MIGRATIONS = 'ec5491c31a07f2d7b8e4424f4ffa0316dea5cef1376d666026af62a682f30eb4';

/** Where the documents say how data of an earlier release is carried over. */
export const CARRY_OVER = '"Data of an earlier release" in docs/operations.md';

/** What a person reads who starts Greenroom on a database of an earlier release. */
export const EARLIER_SCHEMA = `An earlier release created this database, and nothing in it was changed: carry it over as described under ${CARRY_OVER}, or set another DATA_DIR or DATABASE_URL to begin with an empty database.`;

/** The migrations of a database neither begin with `FIRST_MIGRATION` nor are all of those before it. */
export class EarlierSchemaError extends Error {
  constructor() {
    super(EARLIER_SCHEMA);
    this.name = 'EarlierSchemaError';
  }
}

/** Whether a database has one of the tables that say what its schema is. */
export async function hasTable(database: Pick<EntityManager, 'query'>, table: string): Promise<boolean> {
  const [row] = await database.query<{ isThere: boolean }[]>(
    `SELECT to_regclass('public.${table}') IS NOT NULL AS "isThere"`,
  );
  return row!.isThere;
}

/** Names of the migrations of a database; none when it has never been migrated. */
export async function appliedMigrations(database: Pick<EntityManager, 'query'>): Promise<string[]> {
  if (!(await hasTable(database, 'migration'))) return [];
  const names = await database.query<{ name: string }[]>(
    'SELECT name FROM public.migration ORDER BY timestamp',
  );
  return names.map(({ name }) => name);
}

/** Whether a database has migrations that `start` cannot continue. Changes nothing. */
export async function isOfEarlierRelease(database: Pick<EntityManager, 'query'>): Promise<boolean> {
  const names = await appliedMigrations(database);
  return names.length > 0 && !names.includes(FIRST_MIGRATION) && !areAllEarlier(names);
}

/** Enters `FIRST_MIGRATION` in the place of all migrations before it; does nothing when they are not all there. The column that had another name is renamed by `RepairEditedMigrations1797500000000`. */
export async function replaceEarlierMigrations(database: Pick<EntityManager, 'query'>): Promise<void> {
  if (!areAllEarlier(await appliedMigrations(database))) return;
  const first = timestampOf(FIRST_MIGRATION);
  await database.query('DELETE FROM public.migration WHERE timestamp < $1', [first]);
  await database.query('INSERT INTO public.migration (timestamp, name) VALUES ($1, $2)', [
    first,
    FIRST_MIGRATION,
  ]);
}

function areAllEarlier(names: string[]): boolean {
  const earlier = names.filter((name) => timestampOf(name) < timestampOf(FIRST_MIGRATION));
  return createHash('sha256').update(earlier.join(' ')).digest('hex') === EARLIER_MIGRATIONS;
}

/** A migration's name ends with when it was written, in ms since 1970. */
const timestampOf = (name: string) => Number(name.slice(-13));
