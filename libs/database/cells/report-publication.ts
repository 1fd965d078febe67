import type { DataSource, EntityManager } from 'typeorm';
import { PUBLICATIONS, REPORTED_TABLES, type Publication, type ReportedTable } from './report-tables';

/** What is to be done to a publication. */
export interface PublicationPlan {
  publication: Publication;
  exists: boolean;
  /** Tables that it lacks, or has with other columns. */
  lacking: string[];
}

/** Whether a server writes what logical replication reads. */
export async function isLogical(dataSource: DataSource): Promise<boolean> {
  const [row] = await dataSource.query<{ level: string }[]>(`SELECT current_setting('wal_level') AS level`);
  return row!.level === 'logical';
}

/** How the publications of a cell differ from those of this release. */
export async function planPublications(em: Pick<EntityManager, 'query'>): Promise<PublicationPlan[]> {
  const columns = await readColumns(em);
  const published = await em.query<{ publication: string; name: string; columns: string[] }[]>(
    `SELECT pubname AS publication, schemaname || '.' || tablename AS name,
       ARRAY(SELECT unnest(attnames)::text COLLATE "C" ORDER BY 1) AS columns
     FROM pg_publication_tables WHERE pubname = ANY ($1)`,
    [PUBLICATIONS.map(({ name }) => name)],
  );
  const existing = await em.query<{ pubname: string }[]>('SELECT pubname FROM pg_publication');
  return PUBLICATIONS.map((publication) => {
    const own = new Map(
      published
        .filter((row) => row.publication === publication.name)
        .map((row) => [row.name, row.columns.join()]),
    );
    const lacking = publication.tables
      .filter((table) => own.get(table.name) !== publishedColumns(table, columns).join())
      .map(({ name }) => name);
    return { publication, exists: existing.some(({ pubname }) => pubname === publication.name), lacking };
  });
}

/**
 * Creates or changes the publications of a cell, in the caller's transaction. A row of a table whose primary key is omitted is
 * identified by another index from then on.
 *
 * @throws the driver's error when the role does not own the tables, or may not create publications
 */
export async function publish(em: EntityManager): Promise<void> {
  for (const statement of await identifyRows(em)) await em.query(statement);
  const columns = await readColumns(em);
  for (const { publication, exists, lacking } of await planPublications(em)) {
    const { name, tables, publishes } = publication;
    const list = tables.map((table) => toPublished(table, columns)).join(', ');
    if (!exists)
      await em.query(`CREATE PUBLICATION ${name} FOR TABLE ${list} WITH (publish = '${publishes}')`);
    else if (lacking.length > 0) await em.query(`ALTER PUBLICATION ${name} SET TABLE ${list}`);
  }
}

/** Statements with which a database identifies rows of published tables as the cells do; none where it does. */
export async function identifyRows(em: Pick<EntityManager, 'query'>): Promise<string[]> {
  const identified = REPORTED_TABLES.filter(({ identity }) => identity !== undefined);
  const rows = await em.query<{ identity: string }[]>(
    `SELECT c.relname AS identity FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
     WHERE c.relname = ANY ($1) AND NOT x.indisreplident`,
    [identified.map(({ identity }) => identity)],
  );
  return identified
    .filter(({ identity }) => rows.some((row) => row.identity === identity))
    .map(({ name, identity }) => `ALTER TABLE ${name} REPLICA IDENTITY USING INDEX ${identity}`);
}

/** The columns of each reported table, sorted. */
async function readColumns(em: Pick<EntityManager, 'query'>): Promise<ReadonlyMap<string, string[]>> {
  const rows = await em.query<{ name: string; columns: string[] }[]>(
    `SELECT n.nspname || '.' || c.relname AS name, array_agg(a.attname::text ORDER BY a.attname::text COLLATE "C") AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE n.nspname || '.' || c.relname = ANY ($1) GROUP BY 1`,
    [REPORTED_TABLES.map(({ name }) => name)],
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

function publishedColumns(
  { name, omit = [] }: ReportedTable,
  columns: ReadonlyMap<string, string[]>,
): string[] {
  return (columns.get(name) ?? []).filter((column) => !omit.includes(column));
}

/** Without a list where nothing is omitted: columns that a migration adds are published at once. */
function toPublished(table: ReportedTable, columns: ReadonlyMap<string, string[]>): string {
  return table.omit ? `${table.name} (${publishedColumns(table, columns).join(', ')})` : table.name;
}
