import type { DataSource } from 'typeorm';

/**
 * How the migrations of a database differ from those of this release.
 *
 * @returns names of those that are missing there, and of those that this release does not know
 * @throws the driver's error when the database does not respond, or has never been migrated
 */
export async function compareMigrations(
  dataSource: DataSource,
): Promise<{ missing: string[]; foreign: string[] }> {
  const known = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migration');
  const applied = new Set(rows.map(({ name }) => name));
  return {
    missing: known.filter((name) => !applied.has(name)),
    foreign: [...applied].filter((name) => !known.includes(name)),
  };
}
