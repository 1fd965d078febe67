import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files';

const MIGRATIONS = `
  Initial1795200000000 StaffAndAudit1795300000000 Administration1795400000000 ObservedTraffic1795500000000
  Ledger1795600000000 ServiceCredentials1795610000000 Limits1795620000000 SingleUseTokens1795630000000
  VoiceLibrary1795640000000 AudioElsewhere1795650000000 PreviewGeneration1795660000000 ReviewTools1795680000000
  Webhooks1795700000000 LedgerPlans1795730000000 SecondOpinion1795740000000 KeyQuotaNotices1795750000000
  SettlementPlans1795760000000 KeyMakers1795840000000 BoundToTheirIssuer1795850000000 StaffSignIn1795860000000
`;

/** Makes a database what the last release with twenty migrations left: the same tables, and another list of migrations. */
export const MAKE_EARLIER = `
DROP TABLE sql_definition;
TRUNCATE migration;
INSERT INTO migration (timestamp, name)
  SELECT right(name, 13)::bigint, name FROM regexp_split_to_table(trim(E' \\n' FROM '${MIGRATIONS}'), '\\s+') AS name;
CREATE FUNCTION settle_charges(key_ids uuid[], account_ids uuid[], costs bigint[], operations text[], request_ids text[])
  RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
`;

/** The statements that docs/operations.md gives for carrying such a database over. */
export function carryOverFromDocuments(): string {
  const document = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const section = document.split('### Data of an earlier release')[1]!;
  return /```sql\n([\s\S]*?)```/.exec(section)![1]!;
}

/** Everything that a change of a database's schema, rights or list of migrations would alter. */
export const FINGERPRINT = `
SELECT md5(string_agg(t.item, ';' ORDER BY t.item)) AS fingerprint FROM (
  SELECT 'class ' || c.oid || ' ' || c.relfilenode || ' ' || coalesce(c.relacl::text, '') FROM pg_class c
  UNION ALL SELECT 'function ' || p.oid || ' ' || p.xmin FROM pg_proc p
  UNION ALL SELECT 'trigger ' || g.oid || ' ' || g.xmin FROM pg_trigger g
  UNION ALL SELECT 'schema ' || n.oid || ' ' || n.xmin FROM pg_namespace n
  UNION ALL SELECT 'migration ' || m.xmin || ' ' || m.name FROM migration m
) AS t (item)`;
