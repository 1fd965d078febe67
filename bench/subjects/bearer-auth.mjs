// @fastify/bearer-auth with as many keys. Argument: keys.
import bearerAuth from '@fastify/bearer-auth';
import Fastify from 'fastify';
import { randomBytes } from 'node:crypto';

const secrets = Array.from({ length: Number(process.argv[2]) }, () => randomBytes(24).toString('base64url'));
const app = Fastify();
app.get('/keys', async () => secrets);
await app.register(async (guarded) => {
  await guarded.register(bearerAuth, { keys: new Set(secrets) });
  guarded.get('/v1/models', async () => ({ hello: 'world' }));
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`ready ${app.server.address().port}`);
