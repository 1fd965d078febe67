// How long it takes to find copies among many other recordings, and whether they are found there:
// node bench/review/many-recordings.mjs FOLDER [--others 100000], after npm run build
//
// The others are fingerprints of 4 s, made of steps of the folder's speech in any order with some of their bits turned: they
// collide with real ones as speech does. Starts a PostgreSQL of its own and removes it.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../lib/postgres.mjs';

const require = createRequire(import.meta.url);
const { createDataSource } = require('../../dist/libs/database/data-source.js');
const { migrateDatabase } = require('../../dist/libs/database/migrate.js');
const {
  RecordingFingerprintRepository,
} = require('../../dist/libs/database/reviews/recording-fingerprint.repository.js');
const { decodeAudio } = require('../../dist/libs/audio/codecs/decode-audio.js');
const { encodeAudio } = require('../../dist/libs/audio/codecs/encode-audio.js');
const {
  FINGERPRINT_STEP_SECS,
  fingerprintRecording,
  isKey,
  PAUSE_BITS,
} = require('../../dist/libs/audio/fingerprints/recording-fingerprint.js');
const {
  compareFingerprints,
  SAME_BELOW,
} = require('../../dist/libs/audio/fingerprints/compare-fingerprints.js');

const RECORDINGS = 60;
const OTHER_STEPS = Math.round(4 / FINGERPRINT_STEP_SECS);
const TURNED_BITS = 3;
const BATCH = 500;

const [folder, , given = '100000'] = process.argv.slice(2);
if (!folder) throw new Error('Give the folder of the recordings.');
const others = Number(given);
const paths = readdirSync(folder, { recursive: true }).filter((name) => /\.(flac|wav|mp3)$/.test(name));
paths.sort();
const chosen = Array.from(
  { length: RECORDINGS },
  (_, n) => paths[Math.floor((n * paths.length) / RECORDINGS)],
);
const originals = [];
for (const path of chosen) {
  const sound = await decodeAudio(readFileSync(join(folder, path)));
  originals.push({ path, sound, ...fingerprintRecording(sound.samples, sound.sampleRate) });
}
const spoken = originals.flatMap(({ steps }) => [...steps].filter((bits) => bits !== PAUSE_BITS));

const server = await startPostgres();
try {
  const url = await server.createDatabase('many_recordings');
  await migrateDatabase(url, server.applicationUrl('many_recordings'));
  const owner = new pg.Client({ connectionString: url });
  // What went wrong is thrown; that the server then stops under it is not news.
  owner.on('error', () => undefined);
  await owner.connect();
  await seed(owner);
  await search(url);
  await owner.end();
} finally {
  await server.stop();
}

async function seed(owner) {
  const { rows } = await owner.query(
    `SELECT indexdef FROM pg_indexes WHERE indexname = 'recording_fingerprint_keys_idx'`,
  );
  await owner.query('DROP INDEX recording_fingerprint_keys_idx');
  for (let first = 0; first < others; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, others - first) }, (_, n) => makeOther(first + n));
    await store(owner, batch);
  }
  await store(
    owner,
    originals.map(({ path: digest, steps, keys }) => ({ digest, steps, keys })),
  );
  await owner.query(rows[0].indexdef);
  await owner.query('VACUUM ANALYZE recording_fingerprint');
}

function makeOther(number) {
  const any = (count) => Math.floor(Math.random() * count);
  const steps = Uint32Array.from({ length: OTHER_STEPS }, () => {
    let bits = spoken[any(spoken.length)];
    for (let turn = 0; turn < TURNED_BITS; turn += 1) bits ^= 1 << any(32);
    return bits >>> 0;
  });
  return {
    digest: `other ${number}`,
    steps,
    keys: [...new Set([...steps].filter(isKey))].map((bits) => bits | 0),
  };
}

async function store(owner, fingerprints) {
  const values = fingerprints.flatMap(({ digest, steps, keys }) => [
    digest,
    Buffer.from(steps.buffer, steps.byteOffset, steps.byteLength),
    `{${[...keys].join()}}`,
  ]);
  const rows = fingerprints.map((_, n) => `($${3 * n + 1}, $${3 * n + 2}::bytea, $${3 * n + 3}::int[])`);
  await owner.query(
    `WITH given (digest, steps, keys) AS (VALUES ${rows.join()}), audio AS (
       INSERT INTO audio_object (digest, media_type, size_bytes) SELECT digest, 'audio/wav', 0 FROM given)
     INSERT INTO recording_fingerprint (audio_digest, steps, keys) SELECT digest, steps, keys FROM given`,
    values,
  );
}

async function search(url) {
  const dataSource = await createDataSource(url, 'bench').initialize();
  const fingerprints = new RecordingFingerprintRepository(dataSource);
  const times = [];
  let found = 0;
  let wrong = 0;
  let late = 0;
  for (const original of originals) {
    const { samples, sampleRate } = await decodeAudio(
      (await encodeAudio(original.sound, 'mp3_44100_64')).bytes,
    );
    const copy = fingerprintRecording(samples, sampleRate);
    const startedAt = performance.now();
    const candidates = await fingerprints.findCandidates('the copy', copy.lookups);
    const same = (candidates ?? []).filter(({ steps }) => isSame(copy.steps, steps));
    times.push(performance.now() - startedAt);
    if (candidates === null) late += 1;
    if (same.some(({ id }) => id === original.path)) found += 1;
    wrong += same.filter(({ id }) => id.startsWith('other')).length;
  }
  await dataSource.destroy();
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0);
  console.log(
    `Copies (MP3, 64 kbit/s) of ${RECORDINGS} recordings among ${others.toLocaleString('en-US')} others:`,
  );
  console.log(`found ${found}, wrong ${wrong}, given up after a second ${late}`);
  console.log(`search and comparison: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`);
}

function isSame(steps, bytes) {
  const other = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const likeness = compareFingerprints(steps, other);
  return likeness !== null && likeness.bitErrorRate < SAME_BELOW;
}
