import type { EntityManager } from 'typeorm';
import { InitialSchema1797000000000 } from './1797000000000-initial-schema';

/** The migration that every database begins with. A backup names the one that its database began with. */
export const FIRST_MIGRATION = InitialSchema1797000000000.name;

/** Where the documents say how data of an earlier release is carried over. */
export const CARRY_OVER = '"Data of an earlier release" in docs/operations.md';

/** What a person reads who starts Greenroom on a database of an earlier release. */
export const EARLIER_SCHEMA = `An earlier release created this database, and nothing in it was changed: carry it over as described under ${CARRY_OVER}, or set another DATA_DIR or DATABASE_URL to begin with an empty database.`;

/** The migrations of a database do not begin with `FIRST_MIGRATION`. */
export class EarlierSchemaError extends Error {
  constructor() {
    super(EARLIER_SCHEMA);
    this.name = 'EarlierSchemaError';
  }
}

/** Names of the migrations of a database; none when it has never been migrated. */
export async function appliedMigrations(database: Pick<EntityManager, 'query'>): Promise<string[]> {
  const [table] = await database.query<{ isThere: boolean }[]>(
    `SELECT to_regclass('public.migration') IS NOT NULL AS "isThere"`,
  );
  if (!table!.isThere) return [];
  const names = await database.query<{ name: string }[]>('SELECT name FROM public.migration');
  return names.map(({ name }) => name);
}

/** Whether a database has migrations, and not `FIRST_MIGRATION` among them. Changes nothing. */
export async function isOfEarlierRelease(database: Pick<EntityManager, 'query'>): Promise<boolean> {
  const names = await appliedMigrations(database);
  return names.length > 0 && !names.includes(FIRST_MIGRATION);
}
