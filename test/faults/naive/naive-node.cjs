// The control of the storm: what one would write first. The api saves the voice, then adds its job; the worker writes
// its verdict when the voice has none yet. The same connections, locks and retries as the product.
const { createServer } = require('node:http');
const { randomUUID } = require('node:crypto');
const { Pool } = require('pg');
const { Queue, Worker, setDefaultBackendFactory } = require('bullmq');
const { loadConfig } = require('../../../dist/libs/config/app-config.js');
const { openBackend, queueConnection } = require('../../../dist/libs/queue/queue-connection.js');

const REVIEW_MS = 40;
const config = loadConfig();
const pool = new Pool({
  connectionString: config.databaseUrl,
  connectionTimeoutMillis: 2_000,
  query_timeout: 6_000,
});
pool.on('error', () => undefined);
setDefaultBackendFactory(openBackend);
const connection = { connection: queueConnection(config), prefix: '{greenroom}' };

async function createVoice(queue, previewId) {
  const known = await pool.query('SELECT id FROM naive_voice WHERE preview_id = $1', [previewId]);
  if (known.rows[0]) return known.rows[0].id;
  const id = randomUUID();
  await pool.query('INSERT INTO naive_voice (id, preview_id) VALUES ($1, $2)', [id, previewId]);
  const options = { attempts: 5, backoff: { type: 'exponential', delay: 1_000 }, removeOnComplete: true };
  await queue.add('review', { voiceId: id }, { ...options, jobId: `review-${id}` });
  return id;
}

async function reviewVoice({ data }) {
  const known = await pool.query('SELECT FROM naive_review WHERE voice_id = $1', [data.voiceId]);
  if (known.rowCount > 0) return;
  await new Promise((resolve) => setTimeout(resolve, REVIEW_MS));
  await pool.query('INSERT INTO naive_review (voice_id) VALUES ($1)', [data.voiceId]);
}

function runApi() {
  const queue = new Queue('naive-review', connection);
  queue.on('error', () => undefined);
  const server = createServer((request, response) => {
    createVoice(queue, request.url.slice(1)).then(
      (id) => response.end(id),
      () => response.writeHead(503).end(),
    );
  });
  server.listen(config.port, config.host, () => console.log('Listening on its port'));
}

async function runWorker() {
  const locks = { concurrency: 2, lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 3 };
  const worker = new Worker('naive-review', reviewVoice, { ...connection, ...locks });
  worker.on('error', () => undefined);
  await worker.waitUntilReady();
  console.log('Ready for jobs');
}

process.on('unhandledRejection', () => undefined);
if (process.argv[2] === 'api') runApi();
else void runWorker();
