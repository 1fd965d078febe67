// Memory of a worker with recordings of ten minutes among short ones, read from PostgreSQL and reviewed two at a time.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { configFor, prepareGreenroom, startWorker } from '../lib/greenroom.mjs';
import { startPostgres } from '../lib/postgres.mjs';

const require = createRequire(import.meta.url);
const SHORT_PER_LONG = 20;
const POLL_MS = 250;

/** Memory of the process in MB: at rest, at its peak and in the end. `short` and `long` are WAV files of 16 bits. */
export async function measureWorkerMemory({ short, long, rounds }) {
  const postgres = await startPostgres();
  try {
    const { url } = await prepareGreenroom(postgres, 'review_memory', { keys: 0 });
    await storeVoices(url, { short, long, rounds });
    const worker = await startWorker(url);
    try {
      const atRestMb = worker.rssMb();
      await allReviewed(url);
      return { atRestMb, afterMb: worker.rssMb(), peakMb: peakMb(worker.child.pid) };
    } finally {
      await worker.stop();
    }
  } finally {
    await postgres.stop();
  }
}

/** Voices as a request leaves them, one long one after every so many short ones; no two are alike. */
async function storeVoices(url, { short, long, rounds }) {
  const { createDataSource } = require('../../dist/libs/database/data-source.js');
  const { AudioObjectRepository } = require('../../dist/libs/database/voices/audio-object.repository.js');
  const { createAudioStore } = require('../../dist/libs/audio-store/audio-store.provider.js');
  const dataSource = await createDataSource(url, 'bench').initialize();
  const store = await createAudioStore(configFor(url), new AudioObjectRepository(dataSource));
  for (let n = 0; n < rounds * (SHORT_PER_LONG + 1); n++) {
    const bytes = n % (SHORT_PER_LONG + 1) === 0 ? long : short;
    bytes.writeUInt32LE(n, bytes.length - 4);
    const { digest } = await store.keep(await store.stage(bytes, 'audio/wav'));
    const id = String(n).padStart(20, 'V');
    await dataSource.query(
      `WITH voice AS (
         INSERT INTO voice (id, account_id, name, description, labels, preview_id, engine, spec, language, content_digest, request_id)
         VALUES ($1, gen_random_uuid(), 'bench', 'bench', '{}', $1, 'bench', '{}', 'en', $1, 'req')),
       sample AS (
         INSERT INTO voice_sample (id, voice_id, file_name, media_type, size_bytes, audio_digest, duration_secs)
         VALUES ($1, $1, 'sample.wav', 'audio/wav', $2, $3, 1)),
       noted AS (
         INSERT INTO review_event (voice_id, generation, to_state, cause, actor) VALUES ($1, 1, 'queued', 'created', 'api'))
       INSERT INTO outbox (job, voice_id, payload)
       VALUES ('review-voice', $1, jsonb_build_object('voiceId', $1::text, 'generation', 1, 'requestId', 'req'))`,
      [id, bytes.length, digest],
    );
  }
  await dataSource.destroy();
}

async function allReviewed(url) {
  const { Client } = require('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  for (;;) {
    const { rows } = await client.query(
      `SELECT count(*) FILTER (WHERE review_state <> 'completed')::int AS open,
         count(*) FILTER (WHERE review_state = 'stalled')::int AS stalled FROM voice`,
    );
    if (rows[0].stalled > 0) throw new Error(`${rows[0].stalled} reviews failed after their last attempt`);
    if (rows[0].open === 0) break;
    await sleep(POLL_MS);
  }
  await client.end();
}

/** As the kernel has seen it, so that nothing is missed between two looks. */
function peakMb(pid) {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
