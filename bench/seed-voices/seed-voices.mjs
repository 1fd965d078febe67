// Fills a migrated database without voices, empty or filled by seed-keys.mjs, with accounts and voices, to measure searches on:
//
//     node bench/seed-voices/seed-voices.mjs postgres://…/greenroom_bench [voices] [accounts]
//
// A million voices over ten thousand accounts, unless other numbers are given. One account owns a third of them, far more
// than any tier has; ten own ten thousand each, what the largest tier has; the others a few dozen. Only voices and samples
// are created, without audio. Prints how to measure.
import { argv } from 'node:process';
import pg from 'pg';

const [databaseUrl, voices = '1000000', accounts = '10000'] = argv.slice(2);
if (!databaseUrl) throw new Error('Give the URL of a migrated database without voices.');

const TABLES = ['account', 'voice', 'voice_sample'];

const ACCOUNTS = `
  INSERT INTO account (id, name, tier, voice_limit, concurrency_limit)
  SELECT md5('account ' || n)::uuid, 'Account ' || n, 'enterprise', 1000000, 30 FROM generate_series(0, $1::int) n
  ON CONFLICT DO NOTHING`;

const BALANCES = `
  INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, period_anchor, period_start, period_end)
  SELECT a.id, 'account', a.id, 1000000, a.created_at, p.period_start, p.period_end
  FROM account a, billing_period(a.created_at, now()) p
  ON CONFLICT DO NOTHING`;

const VOICES = `
  INSERT INTO voice (id, account_id, name, description, labels, preview_id, engine, spec, language, content_digest,
    request_id, created_at, review_state, recording_quality, recording_quality_reason)
  SELECT substr(md5('voice ' || n), 1, 20),
    md5('account ' || CASE WHEN n % 3 = 0 THEN 0 WHEN n % 10 = 1 THEN 1 + n / 10 % 10 ELSE 11 + floor(random() * ($2::int - 10))::int END)::uuid,
    name.first || ' ' || name.last || ' ' || substr(md5('name ' || n), 1, 5),
    'A ' || word.mood || ', ' || word.pitch || ' ' || word.age || ' ' || word.gender || ' voice with a ' || word.accent
      || ' accent, for ' || word.use || ', take ' || substr(md5('take ' || n), 1, 6) || '.',
    jsonb_build_object('gender', word.gender, 'age', word.age, 'accent', word.accent, 'use_case', word.use),
    'p' || n, 'flite', '{}', 'en-US', '', '', now() - random() * interval '900 days', 'completed', 'good', 'snr_db=41'
  FROM generate_series(1, $1::int) n,
    LATERAL (SELECT
      (ARRAY['Arden','Bella','Clyde','Dora','Emil','Freya','Gideon','Harriet','Ivor','June','Kasper','Lena','Mabel','Nils',
             'Opal','Piotr','Quinn','Rosa','Silas','Tilda'])[1 + floor(random() * 20 + n * 0)::int] AS first,
      (ARRAY['narrator','storyteller','reader','presenter','guide','coach','host','clerk','captain','scholar'])
        [1 + floor(random() * 10 + n * 0)::int] AS last) name,
    LATERAL (SELECT
      (ARRAY['warm','bright','calm','husky','crisp','gentle','stern','playful','dry','noble'])[1 + floor(random() * 10 + n * 0)::int] AS mood,
      (ARRAY['deep','low','medium','high'])[1 + floor(random() * 4 + n * 0)::int] AS pitch,
      (ARRAY['young','middle aged','old'])[1 + floor(random() * 3 + n * 0)::int] AS age,
      (ARRAY['male','female','neutral'])[1 + floor(random() * 3 + n * 0)::int] AS gender,
      CASE WHEN random() < 0.0005 + n * 0 THEN 'faroese' ELSE
        (ARRAY['british','american','irish','australian','indian','scottish'])[1 + floor(random() * 6 + n * 0)::int] END AS accent,
      (ARRAY['narration','news','games','meditation','advertising','audiobooks'])[1 + floor(random() * 6 + n * 0)::int] AS use) word`;

const SAMPLES = `
  INSERT INTO voice_sample (id, voice_id, file_name, media_type, size_bytes, audio_digest, duration_secs)
  SELECT reverse(id), id, id || '.mp3', 'audio/mpeg', 160000, md5(id), 6.6 FROM voice`;

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const { rows: present } = await client.query('SELECT EXISTS (SELECT FROM voice) AS present');
if (present[0].present) throw new Error('There are voices in this database already.');

const startedAt = Date.now();
await client.query('SELECT setseed(0.5)');
await client.query(`SET maintenance_work_mem = '512MB'`);
// Filling first and indexing afterwards takes a third of the time.
const { rows: indexes } = await client.query(
  `SELECT i.indexname AS name, i.indexdef AS definition FROM pg_indexes i
   WHERE i.schemaname = 'public' AND i.tablename = ANY ($1)
     AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = format('public.%I', i.indexname)::regclass)`,
  [TABLES],
);
await step('drop indexes', () => client.query(`DROP INDEX ${indexes.map(({ name }) => name).join(', ')}`));
await step('accounts', () => client.query(ACCOUNTS, [accounts]));
await step('balances', () => client.query(BALANCES));
await step('voices', () => client.query(VOICES, [voices, accounts]));
await step('samples', () => client.query(SAMPLES));
for (const { name, definition } of indexes) await step(name, () => client.query(definition));
for (const table of TABLES) await step(`vacuum ${table}`, () => client.query(`VACUUM (ANALYZE) ${table}`));
await client.end();
console.log(
  `${voices} voices over ${accounts} accounts in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
);

async function step(name, run) {
  const stepStartedAt = Date.now();
  await run();
  console.log(`${name.padEnd(32)}${((Date.now() - stepStartedAt) / 1000).toFixed(1).padStart(8)} s`);
}
