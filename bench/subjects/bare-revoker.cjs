// The least that revokes a key on several processes: one UPDATE and NOTIFY, and a set of revoked keys in memory. DATABASE_URL has a table `bare`.
const path = require('node:path');
const root = path.join(__dirname, '../..');
const fromRoot = (name) => require(require.resolve(name, { paths: [root] }));
fromRoot('reflect-metadata');
const { Body, Controller, Get, Headers, Module, Post, UnauthorizedException } = fromRoot('@nestjs/common');
const { NestFactory } = fromRoot('@nestjs/core');
const { FastifyAdapter } = fromRoot('@nestjs/platform-fastify');
const { Client } = fromRoot('pg');

const MODELS = require('../../dist/apps/api/src/models/models.js').MODELS;
const REVOKE = {
  name: 'revoke',
  text: `WITH revoked AS (UPDATE bare SET n = n + 1 WHERE id = 1 RETURNING id) SELECT pg_notify('bare', $1) FROM revoked`,
};
const revoked = new Set();
const client = new Client({ connectionString: process.env.DATABASE_URL });
const listener = new Client({ connectionString: process.env.DATABASE_URL });

class BareController {
  list(key) {
    if (revoked.has(key)) throw new UnauthorizedException();
    return MODELS;
  }
  async revoke({ key }) {
    await client.query({ ...REVOKE, values: [key] });
    return { receipt: { ms: 0 } };
  }
}
const decorate = (method, decorator) =>
  decorator(
    BareController.prototype,
    method,
    Object.getOwnPropertyDescriptor(BareController.prototype, method),
  );
decorate('list', Get('v1/models'));
Headers('xi-api-key')(BareController.prototype, 'list', 0);
decorate('revoke', Post('revoke'));
Body()(BareController.prototype, 'revoke', 0);
Controller()(BareController);

class BareModule {}
Module({ controllers: [BareController] })(BareModule);

(async () => {
  await Promise.all([client.connect(), listener.connect()]);
  listener.on('notification', ({ payload }) => revoked.add(payload));
  await listener.query('LISTEN bare');
  const app = await NestFactory.create(BareModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  console.log(`ready ${new URL(await app.getUrl()).port}`);
})();
