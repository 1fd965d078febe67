// Small stand-ins for `seed`, `api` and `worker`: they keep notes in a table, so that tests see which data is there.
const { createServer } = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { Client } = require('pg');

async function query(sql, values, connectionString = process.env.DATABASE_URL) {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

function log(message, params) {
  console.log(JSON.stringify({ level: 'log', pid: process.pid, timestamp: Date.now(), message, params }));
}

/** In order: says so, and whether the database still answers at that time. The api serves on for a while, as the real one does. */
async function stop() {
  if (process.argv[2] === 'api') await sleep(Number(process.env.DRAIN_SECS ?? 0) * 1_000);
  const answer = await query('SELECT 1').then(
    () => 'answers',
    () => 'is gone',
  );
  log(`stopping while the database ${answer}`);
  process.exit(0);
}

/** What may not reach the api and the worker. */
const hasOwner = () => Boolean(process.env.MIGRATION_DATABASE_URL);

const roles = {
  async seed() {
    const create =
      'CREATE TABLE IF NOT EXISTS note (text text); GRANT SELECT, INSERT ON note TO greenroom_app';
    await query(create, undefined, process.env.MIGRATION_DATABASE_URL);
    process.send({ applied: [], firstRun: null });
    process.disconnect();
  },
  async api() {
    if (hasOwner()) throw new Error('The api is given the role that owns the tables.');
    const server = createServer(async (request, response) => {
      const note = decodeURIComponent(request.url.slice(1));
      if (request.method === 'POST') await query('INSERT INTO note VALUES ($1)', [note]);
      response.end(JSON.stringify((await query('SELECT text FROM note')).map(({ text }) => text)));
    });
    server.listen(Number(process.env.PORT), process.env.HOST, () => process.send('ready'));
  },
  async worker() {
    if (hasOwner()) throw new Error('The worker is given the role that owns the tables.');
    setInterval(() => undefined, 1_000);
    process.send('ready');
  },
};

if (process.argv[2] !== 'seed') {
  process.stdout.on('error', () => undefined);
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
}
void roles[process.argv[2]]();
