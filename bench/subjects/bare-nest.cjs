// A Nest application on Fastify with one controller and nothing else: what a request costs before we do anything.
const path = require('node:path');
const root = path.join(__dirname, '../..');
const fromRoot = (name) => require(require.resolve(name, { paths: [root] }));
fromRoot('reflect-metadata');
const { Body, Controller, Get, Module, Post } = fromRoot('@nestjs/common');
const { NestFactory } = fromRoot('@nestjs/core');
const { FastifyAdapter } = fromRoot('@nestjs/platform-fastify');

class BareController {
  list() {
    return MODELS;
  }
  echo() {
    return { active: true };
  }
}
const decorate = (method, decorator) =>
  decorator(
    BareController.prototype,
    method,
    Object.getOwnPropertyDescriptor(BareController.prototype, method),
  );
decorate('list', Get('v1/models'));
decorate('echo', Post('introspect'));
Body()(BareController.prototype, 'echo', 0);
Controller()(BareController);

class BareModule {}
Module({ controllers: [BareController] })(BareModule);

// The same answer as the product's, so that only the way to it differs.
const MODELS = require('../../dist/apps/api/src/models/models.js').MODELS;

(async () => {
  const app = await NestFactory.create(BareModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  console.log(`ready ${new URL(await app.getUrl()).port}`);
})();
