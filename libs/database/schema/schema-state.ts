import type { DataSource, EntityManager } from 'typeorm';
import { appliedMigrations } from './earlier-schema';

/** A newer release has migrated the database. */
export class NewerSchemaError extends Error {
  /** @param foreign names of its migrations that this release does not know */
  constructor(foreign: string[]) {
    super(
      `The schema is of a newer release (${foreign.join(', ')}), and nothing in it was changed: install that release, or restore a backup from before it.`,
    );
    this.name = 'NewerSchemaError';
  }
}

/**
 * How the migrations of a database differ from those of this release.
 *
 * @param database where to read them, when not over a connection of the data source's own
 * @returns names of those that are missing there, and of those that this release does not know
 */
export async function compareMigrations(
  dataSource: DataSource,
  database: Pick<EntityManager, 'query'> = dataSource,
): Promise<{ missing: string[]; foreign: string[] }> {
  const known = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const applied = await appliedMigrations(database);
  return {
    missing: known.filter((name) => !applied.includes(name)),
    foreign: applied.filter((name) => !known.includes(name)),
  };
}
