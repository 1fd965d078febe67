import type { DataSource, EntityManager } from 'typeorm';
import { appliedMigrations, hasTable } from './earlier-schema';
import { isLater, RELEASE } from './release';

/** How the schema of a database differs from that of this release. */
export interface SchemaDifference {
  /** Names of migrations that are missing there. */
  missing: string[];
  /** What a later release left: its version, or else the names of migrations that this release does not know; null when there is none. */
  later: string | null;
}

/** What a person reads who runs this release on the database of a later one. */
export const laterSchema = (later: string) =>
  `A later release (${later}) created this database, or has migrated it; this one is ${RELEASE.version}. Install that release, or restore a backup from before it.`;

/** A later release has migrated the database. */
export class NewerSchemaError extends Error {
  constructor(later: string) {
    super(`${laterSchema(later)} Nothing in it was changed.`);
    this.name = 'NewerSchemaError';
  }
}

/**
 * Compares the migrations of a database, and the releases that have migrated it, with this release.
 *
 * @param database where to read them, when not over a connection of the data source's own
 */
export async function compareMigrations(
  dataSource: DataSource,
  database: Pick<EntityManager, 'query'> = dataSource,
): Promise<SchemaDifference> {
  const known = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const applied = await appliedMigrations(database);
  const foreign = applied.filter((name) => !known.includes(name));
  const version = (await releasesOf(database)).find((each) => isLater(each, RELEASE.version));
  return {
    missing: known.filter((name) => !applied.includes(name)),
    later: version ?? (foreign.length > 0 ? foreign.join(', ') : null),
  };
}

/** Remembers that this release has migrated a database. Only the owner of the schema may, and only the first time writes. */
export async function saveRelease(database: Pick<EntityManager, 'query'>): Promise<void> {
  if ((await releasesOf(database)).includes(RELEASE.version)) return;
  await database.query('INSERT INTO schema_release (version) VALUES ($1)', [RELEASE.version]);
}

/** Versions that have migrated a database, the last one first. */
async function releasesOf(database: Pick<EntityManager, 'query'>): Promise<string[]> {
  if (!(await hasTable(database, 'schema_release'))) return [];
  const rows = await database.query<{ version: string }[]>(
    'SELECT version FROM public.schema_release ORDER BY migrated_at DESC',
  );
  return rows.map(({ version }) => version);
}
