import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { readSqlDefinitions } from '../../libs/database/schema/sql-definitions';
import { OUR_TABLES } from '../support/our-tables';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
});

/** Functions that look names up where the session does: without a `search_path`, and with its source. */
const WITHOUT_PATH = `
SELECT p.proname AS name, p.prosrc AS source FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
  AND NOT EXISTS (SELECT FROM unnest(p.proconfig) AS setting WHERE setting LIKE 'search_path=%')`;

interface Source {
  name: string;
  source: string;
}

/** Names of ours that a function uses without their schema. */
async function unqualifiedNames(): Promise<string[]> {
  const tables = await queryAs<{ table: string }>(database.ownerUrl, OUR_TABLES);
  const definitions = readSqlDefinitions();
  const views = definitions.filter(({ kind }) => kind === 'view').map(({ name }) => name);
  const relation = [...tables.map(({ table }) => table), ...views].join('|');
  const called = definitions.map(({ name }) => name).join('|');
  const use = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO) (?:${relation})\\b|(?<![\\w.])(?:${called})\\(`, 'g');
  const functions = await queryAs<Source>(database.ownerUrl, WITHOUT_PATH);
  return functions.flatMap(({ name, source }) => (source.match(use) ?? []).map((text) => `${name}: ${text}`));
}

it('every function finds what it names, whatever the search_path of the session', async () => {
  expect(await unqualifiedNames()).toEqual([]);
});

it('a function that would not is found', async () => {
  await queryAs(
    database.ownerUrl,
    `CREATE FUNCTION lost() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM account WHERE credits_left(1, 1, 1) > 0'`,
  );
  expect(await unqualifiedNames()).toEqual(['lost: FROM account', 'lost: credits_left(']);
  await queryAs(database.ownerUrl, 'DROP FUNCTION lost');
});

it('rows are stored and charged with an empty search_path, as pg_dump --data-only sets it', async () => {
  const client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
  const [account, key] = [randomUUID(), randomUUID()];
  try {
    await client.query(`SELECT pg_catalog.set_config('search_path', '', false)`);
    await client.query(
      `INSERT INTO public.account (id, name, tier, voice_limit, concurrency_limit) VALUES ('${account}', 'Ada', 'free', 1, 1);
       INSERT INTO public.voice (id, account_id, name, description, labels, engine, spec, language, content_digest, request_id)
         VALUES ('restored', '${account}', 'Café', 'Warm', '{}', 'flite', '{}', 'en', '', '');
       INSERT INTO public.credit_balance (subject_id, subject, account_id, credit_limit, period_anchor, period_start, period_end)
         VALUES ('${account}', 'account', '${account}', 10, now(), now(), now() + interval '1 month'),
           ('${key}', 'key', '${account}', 10, now(), now(), now() + interval '1 month');
       UPDATE public.account SET allowed_ips = '{192.0.2.1}' WHERE id = '${account}'`,
    );
    const { rows: voices } = await client.query('SELECT search_text FROM public.voice');
    expect(voices).toEqual([{ search_text: ' cafe warm ' }]);
    const { rows: charges } = await client.query(
      `SELECT outcome FROM public.settle_batch(ARRAY['${key}']::uuid[], ARRAY['${account}']::uuid[], ARRAY[3], ARRAY['test'],
         ARRAY['first'], ARRAY[NULL::int])`,
    );
    expect(charges).toEqual([{ outcome: 'charged' }]);
  } finally {
    await client.end();
  }
});
