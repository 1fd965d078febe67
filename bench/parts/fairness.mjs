import { randomBytes, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { breakThings } from '../lib/review-faults.mjs';
import { configFor, prepareGreenroom, startWorker } from '../lib/greenroom.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { startRedis } from '../lib/redis.mjs';

const require = createRequire(import.meta.url);
const OTHERS = 20;
const AT_ONCE = 10;
/** In FIFO, the others wait for all that came before them. */
const MAX_DRAIN_SECS = 1_200;

const LOADS = ['now', 'now with faults', 'FIFO'];

/**
 * How long the voices of 20 accounts wait for their review while another account has sent thousands: with nothing else to do,
 * with the turns of accounts, and in the order in which they came. The last is made by the bench: a job that names no account
 * waits for no turn. `--only "PostgreSQL now"` measures one load on one backend.
 */
export async function run({ quick, note, options: { only } }) {
  const postgres = await startPostgres();
  const redis = await startRedis();
  if (!redis) note('redis-server is not on the PATH: fairness is measured on PostgreSQL only.');
  try {
    const rows = [];
    for (const backend of redis ? ['PostgreSQL', 'Redis'] : ['PostgreSQL']) {
      const loads = LOADS.filter((load) => only === undefined || only === `${backend} ${load}`);
      const usedRedis = backend === 'Redis' ? redis : null;
      if (loads.length > 0)
        rows.push(...(await measure(postgres, backend, { loads, quick, redis: usedRedis })));
    }
    if (rows.length === 0)
      throw new Error(`--only "${only}" is none of ${LOADS.join(', ')} after a backend.`);
    return {
      title: `Waits of ${OTHERS} accounts for their reviews while another account sends ${quick ? 300 : 5_000}`,
      rows,
      remarks: [
        'Seconds from the request to the start of the review, of the others only. `ofIdle` is p95 divided by that of idle just before, on the same workers.',
        'FIFO is what the same workers do when no job waits for a turn.',
        'The faults, in the middle of it: both workers killed between adding jobs and deleting their messages (5), every job of the queue lost (7), both workers stopped in order while a review takes 3 s more (18).',
        '`notOnce`: voices of the others that were not reviewed exactly once.',
      ],
    };
  } finally {
    redis?.stop();
    await postgres.stop();
  }
}

async function measure(postgres, backend, { loads, quick, redis }) {
  const name = `fairness_${backend.toLowerCase()}`;
  const { url } = await prepareGreenroom(postgres, name, { keys: 0 });
  const sent = quick ? 300 : 5_000;
  const secs = quick ? 10 : 60;
  const store = await Store.open(url);
  const env = { WORKER_CONCURRENCY: '1', ...(redis && { REDIS_URL: redis.url }) };
  const workers = [1, 2].map(() => new RestartedWorker(() => startWorker(url, env)));
  const rows = [];
  try {
    await Promise.all(workers.map((worker) => worker.start()));
    await store.create(randomUUID(), 5, { inTurns: true });
    await store.drained();
    for (const load of loads) {
      const inTurns = load !== 'FIFO';
      const idle = await store.others(secs, { inTurns });
      rows.push({ backend, load: `idle, before ${load}`, ...idle, ofIdle: 1 });
      const flood = randomUUID();
      const begun = Date.now();
      await store.create(flood, sent, { inTurns });
      const createdSecs = Math.round((Date.now() - begun) / 1_000);
      const [waits] = await Promise.all([
        store.others(secs, { inTurns }),
        load === 'now with faults' && breakThings({ workers, redis, ownerUrl: postgres.url(name), secs }),
      ]);
      const left = await store.countOpen(flood);
      rows.push({
        backend,
        load: `${load}, ${sent} of one (created in ${createdSecs} s, ${left} left at the end)`,
        ...waits,
        ofIdle: waits.p95 / idle.p95,
      });
      await store.forget(flood);
      await store.drained();
    }
    return rows;
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await store.close();
  }
}

/** A worker that ends and is started again. */
class RestartedWorker {
  constructor(startOne) {
    this.startOne = startOne;
  }

  async start() {
    this.subject = await this.startOne();
  }

  async restart(signal) {
    await this.subject.stop(signal);
    await this.start();
  }

  async stop(signal) {
    await this.subject?.stop(signal);
  }
}

/** Voices as requests leave them, without the requests. */
class Store {
  constructor(dataSource, parts, digest, sizeBytes) {
    Object.assign(this, { dataSource, ...parts, digest, sizeBytes });
  }

  static async open(url) {
    const load = (path) => require(`../../dist/libs/${path}.js`);
    const { createDataSource } = load('database/data-source');
    const { VoiceRepository } = load('database/voices/voice.repository');
    const { AudioObjectRepository } = load('database/voices/audio-object.repository');
    const { PostgresAudioStore } = load('audio-store/postgres-audio-store');
    const { OutboxRepository } = load('queue/outbox.repository');
    const { newPublicId } = load('domain/common/public-id');
    const dataSource = await createDataSource(configFor(url).requireDatabaseUrl(), 'bench').initialize();
    const audio = new PostgresAudioStore(new AudioObjectRepository(dataSource));
    const bytes = recording();
    const { digest } = await audio.keep(await audio.stage(bytes, 'audio/wav'));
    const voices = new VoiceRepository(dataSource);
    const parts = { voices, outbox: new OutboxRepository(dataSource), newPublicId };
    return new Store(dataSource, parts, digest, bytes.length);
  }

  async create(accountId, count, { inTurns }) {
    for (let done = 0; done < count; done += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - done) }, () => this.createOne(accountId, inTurns)),
      );
  }

  async createOne(accountId, inTurns) {
    const id = this.newPublicId(randomBytes);
    const voice = {
      id,
      accountId,
      name: 'Bench',
      description: 'A calm voice that is here to be reviewed.',
      labels: {},
      previewId: this.newPublicId(randomBytes),
      engine: 'bench',
      spec: {},
      language: 'en',
      contentDigest: id,
      requestId: `req_${id}`,
    };
    const sample = {
      id: this.newPublicId(randomBytes),
      fileName: 'sample.wav',
      mediaType: 'audio/wav',
      sizeBytes: this.sizeBytes,
      audioDigest: this.digest,
      durationSecs: 1,
    };
    await this.dataSource.transaction(async (em) => {
      await this.voices.insert(voice, [sample], em);
      const payload = { voiceId: id, generation: 1, requestId: voice.requestId };
      await this.outbox.enqueue('review-voice', payload, id, em);
      if (!inTurns) await em.query('UPDATE outbox SET account_id = NULL WHERE voice_id = $1', [id]);
    });
    return id;
  }

  /** Each of 20 accounts sends three voices, spread over `secs`; how long they waited, once all have begun. */
  async others(secs, { inTurns }) {
    const accounts = Array.from({ length: OTHERS }, () => randomUUID());
    const all = [...accounts, ...accounts, ...accounts];
    const ids = [];
    for (const accountId of all) {
      ids.push(await this.createOne(accountId, inTurns));
      await sleep((secs * 1_000) / all.length);
    }
    for (let waited = 0; ; waited += 1) {
      const waits = await this.waits(ids);
      if (waits.length === ids.length) return { ...summary(waits), notOnce: await this.countNotOnce(ids) };
      if (waited > MAX_DRAIN_SECS) throw new Error(`${ids.length - waits.length} reviews have not begun`);
      await sleep(1_000);
    }
  }

  async waits(ids) {
    const rows = await this.dataSource.query(
      `SELECT extract(epoch FROM min(at) FILTER (WHERE to_state = 'running')
         - min(at) FILTER (WHERE to_state = 'queued'))::float8 AS secs
       FROM review_event WHERE voice_id = ANY ($1) GROUP BY voice_id`,
      [ids],
    );
    return rows.map(({ secs }) => secs).filter((secs) => secs !== null);
  }

  /** Of voices whose reviews have all begun, those that have not exactly one verdict in the end. */
  async countNotOnce(ids) {
    await this.ended(ids);
    const [row] = await this.dataSource.query(
      `SELECT count(*)::int AS wrong FROM unnest($1::text[]) AS sent (id) WHERE 1 <> (
         SELECT count(*) FROM review_event e WHERE e.voice_id = sent.id AND e.to_state IN ('completed', 'rejected'))`,
      [ids],
    );
    return row.wrong;
  }

  async ended(ids) {
    for (let waited = 0; waited < 240; waited += 1) {
      const [row] = await this.dataSource.query(
        `SELECT count(*)::int AS open FROM voice WHERE id = ANY ($1) AND review_state IN ('queued', 'running', 'retry_wait')`,
        [ids],
      );
      if (row.open === 0) return;
      await sleep(500);
    }
    throw new Error('Reviews of the others do not end.');
  }

  async countOpen(accountId) {
    const [row] = await this.dataSource.query(
      `SELECT count(*)::int AS open FROM voice WHERE account_id = $1 AND review_state IN ('queued', 'running', 'retry_wait')`,
      [accountId],
    );
    return row.open;
  }

  /** What is left of an account is not to be reviewed any more. */
  async forget(accountId) {
    await this.dataSource.query(
      `DELETE FROM outbox WHERE voice_id IN (SELECT id FROM voice WHERE account_id = $1)`,
      [accountId],
    );
    await this.dataSource.query(
      `UPDATE voice SET review_state = 'cancelled' WHERE account_id = $1 AND review_state IN ('queued', 'retry_wait')`,
      [accountId],
    );
  }

  async drained() {
    for (let waited = 0; waited < 120; waited += 1) {
      const [row] = await this.dataSource.query(
        `SELECT count(*)::int AS open FROM voice WHERE review_state IN ('queued', 'running', 'retry_wait')`,
      );
      if (row.open === 0) return;
      await sleep(500);
    }
    throw new Error('The worker does not finish what waits.');
  }

  async close() {
    await this.dataSource.destroy();
  }
}

/** A second of mono 16-bit noise at 16 kHz as a WAV file. */
function recording() {
  const samples = randomBytes(32_000);
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  [16, 0x0001_0001, 16_000, 32_000, 0x0010_0002].forEach((value, i) =>
    header.writeUInt32LE(value, 16 + 4 * i),
  );
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

function summary(waits) {
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { voices: sorted.length, p50: at(0.5), p95: at(0.95), most: sorted.at(-1) };
}
