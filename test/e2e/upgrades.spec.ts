import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { migrateDatabase } from '../../libs/database/migrate';
import { eventually } from '../support/eventually';
import { OUR_TABLES } from '../support/our-tables';
import { queryAs } from '../support/query-as';
import { Stack } from '../support/stack';
import { createEmptyDatabase, type TestDatabase } from '../support/test-database';

const FOLDER = join(__dirname, '../releases');

const RELEASES = readdirSync(FOLDER).map((file) => file.replace('.sql.gz', ''));

/** Begins with a comment that has the secret of a key. */
const readDump = (release: string) => gunzipSync(readFileSync(join(FOLDER, `${release}.sql.gz`))).toString();

/** Tables that migrations write rows of: a new kind of alert comes with its rule. */
const WRITTEN = new Set(['migration', 'sql_definition', 'schema_release', 'alert_kind', 'alert_rule']);

async function countRows(ownerUrl: string, tables: string[]): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await queryAs<{ count: number }>(ownerUrl, `SELECT count(*)::int FROM ${table}`);
    counted[table] = row!.count;
  }
  return counted;
}

/** What accounts and keys have used and may use, and what the ledger and the settings of keys say. */
const SUMS = `
SELECT json_build_object(
  'used', (SELECT json_agg(json_build_array(subject_id, period_start, used, credit_limit, granted) ORDER BY subject_id)
    FROM credit_balance),
  'ledger', (SELECT json_agg(l ORDER BY l.key_id) FROM (
    SELECT key_id, kind, sum(amount) AS amount, count(*) AS lines FROM credit_ledger GROUP BY key_id, kind ORDER BY key_id, kind) l),
  'keys', (SELECT json_agg(json_build_array(id, name, permissions, allowed_ips, expires_at, tags) ORDER BY id) FROM api_key),
  'secrets', (SELECT json_agg(digest ORDER BY digest) FROM api_key_secret)) AS sums`;

describe.each(RELEASES)('a database that %s has used', (release) => {
  let database: TestDatabase;
  let stack: Stack;
  let before: { rows: Record<string, number>; sums: unknown };
  let tables: string[];
  let secret: string;

  const query = <T>(sql: string) => queryAs<T>(database.ownerUrl, sql);

  const countLines = async () =>
    (await query<{ count: number }>('SELECT count(*)::int FROM ledger_line'))[0]!.count;

  const readState = async () => ({
    rows: await countRows(database.ownerUrl, tables),
    sums: (await query<{ sums: unknown }>(SUMS))[0]!.sums,
  });

  beforeAll(async () => {
    const dump = readDump(release);
    secret = /^-- (\S+)/.exec(dump)![1]!;
    database = await createEmptyDatabase();
    await query(dump);
    const found = await query<{ table: string }>(OUR_TABLES);
    tables = found.map(({ table }) => table).filter((table) => !WRITTEN.has(table));
    before = await readState();
    await migrateDatabase(database.ownerUrl, database.url);
  });

  afterAll(async () => {
    await stack?.stop();
  });

  it('has every row, sum, key and secret after the upgrade', async () => {
    expect(before.rows).toMatchObject({ account: 2, voice: 4 });
    expect(await readState()).toEqual(before);
    expect(await migrateDatabase(database.ownerUrl, database.url)).toEqual([]);
  });

  it('continues: an undo fires, a review ends, an old secret works and is charged, and everything adds up', async () => {
    const [timer] = await query<{ subject_id: string; before: unknown }>(
      'UPDATE key_undo SET due_at = now() WHERE due_at IS NOT NULL RETURNING subject_id, before',
    );
    const waiting = await query<{ id: string }>(`SELECT id FROM voice WHERE review_state = 'queued'`);
    expect(waiting).toHaveLength(2);
    stack = await Stack.start({ database });

    expect((await stack.requestUntilServed('GET', '/v1/user', { secret })).status).toBe(200);
    const lines = await countLines();
    const body = {
      voice_description: 'A calm and warm voice of a woman in her forties',
      text: 'A text. '.repeat(15),
    };
    const designed = await stack.requestUntilServed('POST', '/v1/text-to-voice/design', { secret, body });
    expect(designed.status).toBe(200);
    expect(await countLines()).toBeGreaterThan(lines);
    await eventually(async () =>
      expect(await query(`SELECT allowed_ips FROM api_key WHERE id = '${timer!.subject_id}'`)).toEqual([
        { allowed_ips: timer!.before },
      ]),
    );
    await eventually(async () => {
      const voices = await query<{ id: string; review_state: string }>('SELECT id, review_state FROM voice');
      const reviewed = voices.filter(({ review_state }) => review_state === 'completed').map(({ id }) => id);
      expect(reviewed).toEqual(expect.arrayContaining(waiting.map(({ id }) => id)));
    });
    expect(await stack.api.get(AuditLog).verifyChain()).toMatchObject({ ok: true });
    expect(await reconcileCredits(stack.dataSource)).toMatchObject({ breaches: [] });
  });
});
