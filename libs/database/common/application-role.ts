import { Client } from 'pg';
import type { EntityManager } from 'typeorm';

/** BullMQ's schema, where queues are in PostgreSQL. */
export const QUEUE_SCHEMA = 'bullmq';

/** Schemas of the application. */
export const SCHEMAS = ['public', 'staff_auth', QUEUE_SCHEMA];

/** What the application may do with the rows of a table. */
const ROWS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Tables on which the application may do less. */
const NARROWER: Record<string, string[]> = {
  'public.alert_kind': ['SELECT'],
  'public.audit_event': ['SELECT', 'INSERT'],
  'public.audit_head': ['SELECT', 'INSERT', 'UPDATE'],
  'public.ledger_line': ['SELECT', 'INSERT'],
  'public.ledger_operation': ['SELECT', 'INSERT'],
  'public.ledger_archive': ['SELECT'],
  'public.ledger_closing': ['SELECT'],
  'public.migration': ['SELECT'],
  'public.schema_release': ['SELECT'],
  'public.sql_definition': ['SELECT'],
  [`${QUEUE_SCHEMA}.migration`]: ['SELECT'],
};

/** What the application may do with one of our tables, for example `public.voice`. */
export function tablePrivileges(table: string): string[] {
  return NARROWER[table] ?? ROWS;
}

/** Whether the application may do less with one of our tables than with the others. */
export function hasNarrowerRights(table: string): boolean {
  return table in NARROWER;
}

/**
 * Creates the role of `applicationUrl` where it is missing. It may log in, and nothing else.
 *
 * @param client connected as a role that may create roles; when the role exists, any
 * @throws Error naming both roles when the one that is connected may not create the other
 */
export async function createApplicationRole(client: Client, applicationUrl: string): Promise<void> {
  const { user = '', password } = new Client({ connectionString: applicationUrl });
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [user]);
  if (rowCount !== 0) return;
  const login = typeof password === 'string' ? `PASSWORD ${client.escapeLiteral(password)}` : '';
  try {
    await client.query(
      `CREATE ROLE ${client.escapeIdentifier(user)} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS ${login}`,
    );
  } catch (error) {
    throw new Error(
      `The role "${user}" of DATABASE_URL does not exist, and "${client.user}" cannot create it (${(error as Error).message}). Create it first: docs/operations.md, "Two roles".`,
      { cause: error },
    );
  }
}

/**
 * Gives the role of `applicationUrl` what the application needs on everything that the connected role owns, and takes away
 * in spite of what else it was granted there. All of it takes effect at once. Does nothing when both are the same role.
 *
 * @param client connected as the role that has migrated
 */
export async function allowApplication(client: Client, applicationUrl: string): Promise<void> {
  const { user = '' } = new Client({ connectionString: applicationUrl });
  if (user === client.user) return;
  await createApplicationRole(client, applicationUrl);
  const statements = [...(await closeToPublic(client)), ...(await grantsFor(client, user))];
  await client.query(['BEGIN', ...statements, 'COMMIT'].join(';\n'));
}

/**
 * Gives the role of `applicationUrl` its rights on what was just created, in the transaction that creates it: processes that run
 * meanwhile call functions that read the new tables as soon as it is committed. Nothing where the role is missing, or the connected one.
 */
export async function allowNewRelations(
  database: Pick<EntityManager, 'query'>,
  applicationUrl: string,
): Promise<void> {
  const { user = '' } = new Client({ connectionString: applicationUrl });
  const created = await database.query<(Relation & { role: string })[]>(
    `SELECT r.*, quote_ident(g.rolname) AS role FROM pg_roles g CROSS JOIN (${RELATIONS}) r
     WHERE g.rolname = $2 AND g.rolname <> current_user AND NOT CASE r.kind
       WHEN 'sequence' THEN has_sequence_privilege(g.oid, r.quoted::regclass, 'USAGE')
       ELSE has_table_privilege(g.oid, r.quoted::regclass, 'SELECT') END`,
    [SCHEMAS, user],
  );
  for (const relation of created)
    await database.query(
      `GRANT ${privilegesOn(relation).join(', ')} ON ${relation.quoted} TO ${relation.role}`,
    );
}

/** Every role could create temporary tables, and in databases from before PostgreSQL 15 tables in `public`. */
async function closeToPublic(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('REVOKE TEMPORARY, CREATE ON DATABASE %I FROM PUBLIC', datname) AS statement FROM pg_database
     WHERE datname = current_database() AND pg_has_role(datdba, 'USAGE')
     UNION ALL
     SELECT 'REVOKE CREATE ON SCHEMA public FROM PUBLIC' FROM pg_namespace
     WHERE nspname = 'public' AND pg_has_role(nspowner, 'USAGE')`,
  );
  return rows.map(({ statement }) => statement);
}

async function grantsFor(client: Client, user: string): Promise<string[]> {
  const role = client.escapeIdentifier(user);
  const { rows } = await client.query<Relation>(RELATIONS, [SCHEMAS]);
  return [
    `REVOKE ALL ON SCHEMA ${SCHEMAS.join(', ')} FROM ${role}`,
    `GRANT USAGE ON SCHEMA ${SCHEMAS.join(', ')} TO ${role}`,
    ...rows.flatMap((relation) => [
      `REVOKE ALL ON ${relation.quoted} FROM ${role}`,
      `GRANT ${privilegesOn(relation).join(', ')} ON ${relation.quoted} TO ${role}`,
    ]),
  ];
}

interface Relation {
  /** For example `public.voice`. */
  name: string;
  quoted: string;
  kind: 'table' | 'view' | 'sequence';
}

/**
 * Tables, views and sequences in some schemas that the connected role may grant rights on. A partition is read and written
 * with the rights on its table.
 */
const RELATIONS = `
SELECT n.nspname || '.' || c.relname AS name, format('%I.%I', n.nspname, c.relname) AS quoted,
  CASE c.relkind WHEN 'S' THEN 'sequence' WHEN 'v' THEN 'view' ELSE 'table' END AS kind
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p', 'v', 'S') AND NOT c.relispartition AND pg_has_role(c.relowner, 'USAGE')`;

function privilegesOn({ name, kind }: Relation): string[] {
  if (kind === 'table') return tablePrivileges(name);
  return kind === 'view' ? ['SELECT'] : ['USAGE'];
}
