import type { DataSource, EntityManager } from 'typeorm';
import { identifyRows, planPublications } from './report-publication';
import { EVENT_TABLES, PUBLICATIONS, REPORTED_TABLES, slotOf, SUBSCRIPTION } from './report-tables';

/** A unique index of a reported table that is not what identifies its rows. */
interface UniqueIndex {
  table: string;
  name: string;
  definition: string;
  isConstraint: boolean;
}

/**
 * Makes a database with the newest schema accept the rows of several cells, in one transaction; safe to repeat, and without a lock
 * where nothing is to be done. What is unique in a cell only becomes an ordinary index, columns that the cells omit may be null, and
 * events of the audit log get ids by their time.
 */
export async function prepareReport(dataSource: DataSource): Promise<void> {
  await dataSource.transaction(async (em) => {
    const steps = [identifyRows, dropUniqueness, allowNulls, orderEvents];
    for (const step of steps) for (const statement of await step(em)) await em.query(statement);
  });
}

/**
 * Subscribes a reporting database to a cell, or brings its subscription up to date and enables it. What the cell has is
 * copied in the background.
 *
 * @param source the cell, as a role that may replicate
 * @param connection where the server of the reporting database finds the cell, as libpq reads it
 * @returns whether the subscription was created
 * @throws the driver's error when a role may not do this, or the cell does not respond to the server of the reporting database
 */
export async function subscribe(
  report: DataSource,
  source: DataSource,
  { cell, connection }: { cell: string; connection: string },
): Promise<boolean> {
  const name = `"${SUBSCRIPTION}${cell}"`;
  const conninfo = `'${connection.replaceAll("'", "''")}'`;
  await createSlot(source, slotOf(cell));
  if (await hasSubscription(report, cell)) {
    await report.query(`ALTER SUBSCRIPTION ${name} CONNECTION ${conninfo}`);
    await report.query(`ALTER SUBSCRIPTION ${name} ENABLE`);
    await report.query(`ALTER SUBSCRIPTION ${name} REFRESH PUBLICATION`);
    return false;
  }
  const publications = PUBLICATIONS.map((publication) => publication.name).join(', ');
  // The slot is created first: with both databases on one server, the statement would wait for itself.
  await report.query(
    `CREATE SUBSCRIPTION ${name} CONNECTION ${conninfo} PUBLICATION ${publications}
     WITH (create_slot = false, slot_name = '${slotOf(cell)}')`,
  );
  return true;
}

/** Whether a database subscribes to a cell; to any, without one. */
export async function hasSubscription(report: DataSource, cell = ''): Promise<boolean> {
  const [row] = await report.query<{ found: boolean }[]>(
    `SELECT EXISTS (SELECT FROM pg_subscription s JOIN pg_database d ON d.oid = s.subdbid
       WHERE d.datname = current_database() AND (s.subname = $1 OR $2 AND starts_with(s.subname, $1))) AS found`,
    [`${SUBSCRIPTION}${cell}`, cell === ''],
  );
  return row!.found;
}

/** Whether a database is that of a cell: it publishes as one, or has accounts that it does not follow. */
export async function isOfCell(database: DataSource): Promise<boolean> {
  if ((await planPublications(database)).some(({ exists }) => exists)) return true;
  const [schema] = await database.query<{ exists: boolean }[]>(
    `SELECT to_regclass('public.account') IS NOT NULL AS exists`,
  );
  if (!schema!.exists || (await hasSubscription(database))) return false;
  return (await database.query<unknown[]>('SELECT FROM account LIMIT 1')).length > 0;
}

async function createSlot(source: DataSource, slot: string): Promise<void> {
  await source.query(
    `SELECT pg_create_logical_replication_slot($1, 'pgoutput')
     WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1)`,
    [slot],
  );
}

async function dropUniqueness(em: EntityManager): Promise<string[]> {
  const indexes = await em.query<UniqueIndex[]>(
    `SELECT n.nspname || '.' || t.relname AS table, i.relname AS name, pg_get_indexdef(i.oid) AS definition,
       c.oid IS NOT NULL AS "isConstraint"
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
       JOIN pg_namespace n ON n.oid = t.relnamespace LEFT JOIN pg_constraint c ON c.conindid = i.oid AND c.conrelid = t.oid
     WHERE x.indisunique AND n.nspname || '.' || t.relname = ANY ($1) AND NOT x.indisreplident
       AND NOT (x.indisprimary AND n.nspname || '.' || t.relname = ANY ($2))`,
    [REPORTED_TABLES.map(({ name }) => name), byPrimaryKey()],
  );
  return indexes.flatMap(toOrdinary);
}

/** Tables whose rows the cells identify by the primary key. */
function byPrimaryKey(): string[] {
  return REPORTED_TABLES.filter(({ name, identity }) => !identity && !EVENT_TABLES.includes(name)).map(
    ({ name }) => name,
  );
}

function toOrdinary({ table, name, definition, isConstraint }: UniqueIndex): string[] {
  const schema = table.split('.')[0]!;
  return [
    isConstraint ? `ALTER TABLE ${table} DROP CONSTRAINT ${name}` : `DROP INDEX ${schema}.${name}`,
    definition.replace('CREATE UNIQUE INDEX', 'CREATE INDEX'),
  ];
}

async function allowNulls(em: EntityManager): Promise<string[]> {
  const omitted = REPORTED_TABLES.flatMap(({ name, omit = [] }) => omit.map((column) => ({ name, column })));
  const rows = await em.query<{ statement: string }[]>(
    `SELECT format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', o.name, o.column) AS statement
     FROM unnest($1::text[], $2::text[]) AS o (name, "column")
       JOIN pg_attribute a ON a.attrelid = o.name::regclass AND a.attname = o.column WHERE a.attnotnull`,
    [omitted.map(({ name }) => name), omitted.map(({ column }) => column)],
  );
  return rows.map(({ statement }) => statement);
}

/**
 * Ids of events by their time, so that those of all cells are in one order: milliseconds since 2020, then the place in the chain of
 * the cell, then what tells cells apart. 18 digits until 2051.
 */
const EVENT_ORDER = `
CREATE OR REPLACE FUNCTION order_reported_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.id := (extract(epoch FROM NEW.at - '2020-01-01T00:00:00Z'::timestamptz) * 1000)::bigint * 1000000
    + NEW.seq % 1000 * 1000 + abs(hashtext(NEW.hash) % 1000);
  RETURN NEW;
END $$`;

async function orderEvents(em: EntityManager): Promise<string[]> {
  const name = 'audit_event_reported';
  const triggers = await em.query<unknown[]>('SELECT FROM pg_trigger WHERE tgname = $1', [name]);
  if (triggers.length > 0) return [EVENT_ORDER];
  return [
    EVENT_ORDER,
    `CREATE TRIGGER ${name} BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION order_reported_event()`,
    `ALTER TABLE audit_event ENABLE ALWAYS TRIGGER ${name}`,
  ];
}
