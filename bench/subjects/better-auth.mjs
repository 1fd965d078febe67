// better-auth with its api-key plugin: verifies a key for every request, with its credits on request.
// Arguments: storage (postgres | redis), database URL, Redis URL or -, keys, credits per key or 0.
import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';

const [storage, databaseUrl, redisUrl, keys, credits] = process.argv.slice(2);
const redis = storage === 'redis' ? new Redis(redisUrl) : null;
const options = {
  baseURL: 'http://127.0.0.1',
  secret: 'a-secret-of-the-bench-that-nobody-else-uses',
  database: new pg.Pool({ connectionString: databaseUrl, max: 8 }),
  emailAndPassword: { enabled: true },
  logger: { disabled: true },
  telemetry: { enabled: false },
  ...(redis && {
    secondaryStorage: {
      get: (key) => redis.get(key),
      set: (key, value, ttl) => (ttl ? redis.set(key, value, 'EX', ttl) : redis.set(key, value)),
      delete: (key) => redis.del(key),
    },
  }),
  plugins: [
    apiKey({
      rateLimit: { enabled: false },
      storage: redis ? 'secondary-storage' : 'database',
      fallbackToDatabase: false,
    }),
  ],
};
const { runMigrations } = await getMigrations(options);
await runMigrations();
const auth = betterAuth(options);
const { user } = await auth.api.signUpEmail({
  body: {
    name: 'Bench',
    email: `bench-${process.pid}@example.com`,
    password: 'correct horse battery staple',
  },
});
const secrets = [];
for (let i = 0; i < Number(keys); i += 1) {
  const body = {
    userId: user.id,
    name: `bench ${i}`,
    ...(Number(credits) && { remaining: Number(credits) }),
  };
  secrets.push((await auth.api.createApiKey({ body })).key);
}

const app = Fastify();
app.get('/v1/models', async (request, reply) => {
  const { valid } = await auth.api.verifyApiKey({ body: { key: request.headers['x-api-key'] } });
  if (!valid) return reply.code(401).send({ error: 'invalid' });
  return { hello: 'world' };
});
app.get('/keys', async () => secrets);
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`ready ${app.server.address().port}`);
