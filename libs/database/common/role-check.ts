import type { DataSource } from 'typeorm';
import { hasNarrowerRights, SCHEMAS, tablePrivileges } from './application-role';

/** What the connected role may do beyond what the application needs, and what it may not do that the application needs. */
export interface RoleReport {
  role: string;
  /** Each continues a sentence that begins with the role, for example "is a superuser". */
  tooMuch: string[];
  /** For example "SELECT on public.voice". */
  tooLittle: string[];
}

/** Examines the role that a data source is connected as. Nothing is changed. */
export async function examineRole(dataSource: DataSource): Promise<RoleReport> {
  const [me] = await dataSource.query<{ role: string; rolsuper: boolean }[]>(
    'SELECT rolname AS role, rolsuper FROM pg_roles WHERE rolname = current_user',
  );
  const { role, rolsuper } = me!;
  // A superuser passes every other check, too.
  if (rolsuper) return { role, tooMuch: ['is a superuser'], tooLittle: [] };
  const excess = await dataSource.query<{ excess: string }[]>(EXCESS);
  const rights = await dataSource.query<TableRight[]>(TABLE_RIGHTS, [SCHEMAS]);
  const isExpected = ({ name, privilege }: TableRight) => tablePrivileges(name).includes(privilege);
  const isOurs = tablesOf(dataSource);
  const describe = ({ name, privilege }: TableRight) => `${privilege} on ${name}`;
  const unexpected = rights.filter((right) => right.isGranted && !right.isOwn && !isExpected(right));
  return {
    role,
    tooMuch: [...excess.map((row) => row.excess), ...unexpected.map((right) => `may ${describe(right)}`)],
    tooLittle: rights
      .filter((right) => isOurs(right.name) && !right.isGranted && isExpected(right))
      .map(describe),
  };
}

/** Whether a table is one of the application's. In `public` an operator may keep others. */
function tablesOf({ entityMetadatas }: DataSource): (name: string) => boolean {
  const entities = new Set(
    entityMetadatas.map(({ schema = 'public', tableName }) => `${schema}.${tableName}`),
  );
  return (name) => !name.startsWith('public.') || entities.has(name) || hasNarrowerRights(name);
}

interface TableRight {
  /** For example `public.voice`. */
  name: string;
  privilege: string;
  isGranted: boolean;
  /** Whether the role owns the table, which is reported once for all tables. */
  isOwn: boolean;
}

const EXCESS = `
WITH me AS (SELECT * FROM pg_roles WHERE rolname = current_user)
SELECT v.excess FROM me, LATERAL (VALUES
  (rolcreaterole, 'may create roles'), (rolcreatedb, 'may create databases'),
  (rolreplication, 'may replicate the server'), (rolbypassrls, 'may bypass row security')
) AS v (is_so, excess) WHERE v.is_so
UNION ALL
SELECT 'is a member of ' || r.rolname FROM pg_roles r, me
WHERE r.oid <> me.oid AND pg_has_role(me.oid, r.oid, 'MEMBER')
UNION ALL
SELECT 'owns the database' FROM pg_database, me WHERE datname = current_database() AND datdba = me.oid
UNION ALL
SELECT 'owns the schema ' || nspname FROM pg_namespace, me WHERE nspowner = me.oid
UNION ALL
SELECT 'owns ' || count(*) || ' tables, first ' || min(c.oid::regclass::text) FROM pg_class c, me
WHERE relkind IN ('r', 'p') AND relowner = me.oid HAVING count(*) > 0
UNION ALL
SELECT 'owns ' || count(*) || ' functions' FROM pg_proc, me WHERE proowner = me.oid HAVING count(*) > 0
UNION ALL
SELECT 'may ' || p || ' in the database' FROM unnest(ARRAY['CREATE', 'TEMPORARY']) AS p
WHERE has_database_privilege(current_database(), p)
UNION ALL
SELECT 'may CREATE in the schema ' || nspname FROM pg_namespace
WHERE nspname !~ '^pg_(temp|toast)' AND has_schema_privilege(oid, 'CREATE')`;

/** Every right there is on every table, granted or not. */
const TABLE_RIGHTS = `
SELECT n.nspname || '.' || c.relname AS name, p AS privilege, has_table_privilege(c.oid, p) AS "isGranted",
  pg_has_role(c.relowner, 'USAGE') AS "isOwn"
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS p
WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p')
ORDER BY 1, 2`;
