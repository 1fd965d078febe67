// The two usual ways to count credits, without anything around them. Arguments: update | lua, URL, keys, credits per key.
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';

const [mode, url, keys, credits] = process.argv.slice(2);
const spend = mode === 'update' ? await onPostgres() : await onRedis();
const app = Fastify();
app.post('/spend', async (request, reply) => {
  if (await spend(request.body.key)) return { active: true };
  return reply.code(402).send({ active: false });
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`ready ${app.server.address().port}`);

/** One conditional UPDATE and its ledger line for each request. */
async function onPostgres() {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query(`CREATE TABLE IF NOT EXISTS sketch (id int PRIMARY KEY, remaining bigint NOT NULL)`);
  await pool.query(
    `CREATE TABLE IF NOT EXISTS sketch_line (id bigserial PRIMARY KEY, key int, cost int, at timestamptz)`,
  );
  await pool.query(
    `INSERT INTO sketch SELECT n, $2::bigint FROM generate_series(0, $1::int - 1) n ON CONFLICT DO NOTHING`,
    [keys, credits],
  );
  const text = `WITH spent AS (UPDATE sketch SET remaining = remaining - 1 WHERE id = $1 AND remaining >= 1 RETURNING id)
    INSERT INTO sketch_line (key, cost, at) SELECT id, 1, now() FROM spent`;
  return async (key) => (await pool.query({ name: 'spend', text, values: [key] })).rowCount === 1;
}

/** A counter in Redis, decremented by a script. Nothing is durable, and no line is written. */
async function onRedis() {
  const redis = new Redis(url);
  for (let key = 0; key < Number(keys); key += 1) await redis.set(`credits:${key}`, credits, 'NX');
  redis.defineCommand('spend', {
    numberOfKeys: 1,
    lua: `if tonumber(redis.call('GET', KEYS[1])) >= 1 then redis.call('DECR', KEYS[1]) return 1 end return 0`,
  });
  return async (key) => (await redis.spend(`credits:${key}`)) === 1;
}
