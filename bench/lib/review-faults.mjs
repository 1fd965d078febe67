import { createRequire } from 'node:module';
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

const require = createRequire(import.meta.url);
/** Any number that no other code locks. */
const DELETES = 771_178;

/** Cases 5, 7 and 18 of the fault table (`test/faults/cases.ts`), one after the other, spread over `secs`. */
export async function breakThings({ workers, redis, ownerUrl, secs }) {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  const pause = () => sleep(secs * 250);
  try {
    await pause();
    await killBetweenAddAndDelete(owner, workers);
    await pause();
    await loseQueue(owner, redis);
    await pause();
    await stopInReview(owner, workers);
  } finally {
    await owner.end();
  }
}

/** Case 5: the workers are killed when their relays have added jobs and have not deleted the messages yet. */
async function killBetweenAddAndDelete(owner, workers) {
  await owner.query(
    `CREATE FUNCTION hold_deletes() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${DELETES}); RETURN NULL; END $$;
     CREATE TRIGGER hold_deletes BEFORE DELETE ON outbox EXECUTE FUNCTION hold_deletes()`,
  );
  const held = `FROM pg_locks WHERE locktype = 'advisory' AND objid = ${DELETES} AND NOT granted`;
  await owner.query(`SELECT pg_advisory_lock(${DELETES})`);
  try {
    await until(owner, `SELECT ${held}`);
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
    // The server does not notice that its client is gone, and would delete all the same.
    await owner.query(`SELECT pg_terminate_backend(pid) ${held}`);
  } finally {
    await owner.query(`SELECT pg_advisory_unlock(${DELETES})`);
    await owner.query('DROP FUNCTION hold_deletes CASCADE');
  }
  await Promise.all(workers.map((worker) => worker.start()));
}

/** Case 7: every job of the queue is lost. */
async function loseQueue(owner, redis) {
  if (!redis) return void (await owner.query('DELETE FROM bullmq.job'));
  const { Redis } = require('ioredis');
  const client = new Redis(redis.url);
  await client.flushall();
  await client.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  client.disconnect();
}

/** Case 18: the workers are stopped in order while a review takes 3 s more. */
async function stopInReview(owner, workers) {
  await owner.query('BEGIN; LOCK TABLE review IN ACCESS EXCLUSIVE MODE');
  await until(owner, `SELECT FROM voice WHERE review_state = 'running' LIMIT 1`);
  const restarted = Promise.all(workers.map((worker) => worker.restart('SIGTERM')));
  await sleep(3_000);
  await owner.query('ROLLBACK');
  await restarted;
}

async function until(owner, query) {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if ((await owner.query(query)).rowCount > 0) return;
    await sleep(20);
  }
  throw new Error(`Never came: ${query}`);
}
