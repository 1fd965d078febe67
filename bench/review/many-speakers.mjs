// How long it takes to find the voices of one speaker among many, and how many of them are found:
// node bench/review/many-speakers.mjs [--others 100000], after npm run build
//
// Vectors of 192 numbers in any direction; 60 of them have a second recording with a cosine from 0.6 to 0.9. Starts a
// PostgreSQL of its own and removes it.
import { createRequire } from 'node:module';
import pg from 'pg';
import { startPostgres } from '../lib/postgres.mjs';

const require = createRequire(import.meta.url);
const { createDataSource } = require('../../dist/libs/database/data-source.js');
const { migrateDatabase } = require('../../dist/libs/database/migrate.js');
const {
  RecordingSpeakerRepository,
} = require('../../dist/libs/database/reviews/recording-speaker.repository.js');
const { signatureOf, toUnitVector } = require('../../dist/libs/domain/voices/speaker-vector.js');

const SIZE = 192;
const SPEAKERS = 60;
const COSINES = [0.6, 0.7, 0.8, 0.9];
const THRESHOLD = 0.6;
const BATCH = 500;
const others = Number(process.argv[3] ?? 100_000);

const gaussian = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
const anyDirection = () => toUnitVector(Array.from({ length: SIZE }, gaussian));

/** A vector with this cosine to another; a little more, so that rounding does not put it under the threshold. */
function turned(from, cosine) {
  const towards = anyDirection();
  const along = from.reduce((sum, x, n) => sum + x * towards[n], 0);
  const across = toUnitVector(towards.map((x, n) => x - along * from[n]));
  const c = cosine + 1e-4;
  return from.map((x, n) => c * x + Math.sqrt(1 - c * c) * across[n]);
}

const server = await startPostgres();
try {
  const url = await server.createDatabase('many_speakers');
  await migrateDatabase(url, server.applicationUrl('many_speakers'));
  const owner = new pg.Client({ connectionString: url });
  owner.on('error', () => undefined);
  await owner.connect();
  for (let first = 0; first < others; first += BATCH)
    await store(
      owner,
      Array.from({ length: Math.min(BATCH, others - first) }, (_, n) => ['other', first + n, anyDirection()]),
    );
  const firsts = Array.from({ length: SPEAKERS }, anyDirection);
  await store(
    owner,
    firsts.map((vector, n) => ['first', n, vector]),
  );
  await store(
    owner,
    firsts.map((vector, n) => ['second', n, turned(vector, COSINES[n % COSINES.length])]),
  );
  await owner.query('VACUUM ANALYZE recording_speaker, voice_sample, voice');
  await owner.end();
  await search(url);
} finally {
  await server.stop();
}

async function store(owner, rows) {
  const columns = [0, 1].map((n) =>
    rows.map((row) => (n === 0 ? `${row[0]} ${row[1]}` : `{${[...row[2]].join()}}`)),
  );
  await owner.query(
    `WITH given AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS g (id, vector, signature)),
       audio AS (INSERT INTO audio_object (digest, media_type, size_bytes) SELECT id, 'audio/wav', 0 FROM given),
       made AS (
         INSERT INTO voice (id, account_id, name, description, labels, engine, spec, language, content_digest, request_id)
         SELECT id, gen_random_uuid(), id, '', '{}', 'bench', '{}', 'en', id, id FROM given),
       sampled AS (
         INSERT INTO voice_sample (id, voice_id, position, file_name, media_type, size_bytes, audio_digest, duration_secs)
         SELECT id, id, 0, 'a.wav', 'audio/wav', 0, id, 1 FROM given)
     INSERT INTO recording_speaker (audio_digest, model, vector, signature)
     SELECT id, 'bench', vector::real[], signature::bit(256) FROM given`,
    [...columns, rows.map((row) => signatureOf(row[2]))],
  );
}

async function search(url) {
  const dataSource = await createDataSource(url, 'bench').initialize();
  const speakers = new RecordingSpeakerRepository(dataSource);
  const times = [];
  const found = Object.fromEntries(COSINES.map((cosine) => [cosine, 0]));
  let wrong = 0;
  let late = 0;
  for (let n = 0; n < SPEAKERS; n += 1) {
    const startedAt = performance.now();
    const alike = await speakers.listSoundAlikes({
      voiceId: `first ${n}`,
      accountId: null,
      cosine: THRESHOLD,
      limit: 50,
    });
    times.push(performance.now() - startedAt);
    if (alike === null) late += 1;
    const ids = (alike ?? []).map(({ voiceId }) => voiceId);
    if (ids.includes(`second ${n}`)) found[COSINES[n % COSINES.length]] += 1;
    wrong += ids.filter((id) => id !== `second ${n}`).length;
  }
  await dataSource.destroy();
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0);
  console.log(`The other recording of ${SPEAKERS} speakers among ${others.toLocaleString('en-US')} others:`);
  for (const cosine of COSINES)
    console.log(`cosine ${cosine}: found ${found[cosine]} of ${SPEAKERS / COSINES.length}`);
  console.log(`wrong ${wrong}, given up after two seconds ${late}`);
  console.log(`search: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`);
}
