import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import express from 'express';
import fastify from 'fastify';
import { expressKey, fastifyKey, Greenroom, honoKey } from 'greenroom-client';
import { Hono } from 'hono';
import { once } from 'node:events';

const { GREENROOM_URL: url, SERVICE_CREDENTIAL: credential, KEYS } = process.env;
const greenroom = new Greenroom({ url, credential, retries: 0 });
const wrong = new Greenroom({ url, credential: 'grs_wrong', retries: 0 });
const away = new Greenroom({ url: 'http://127.0.0.1:9', credential, retries: 0 });
const options = { scope: 'text_to_speech', cost: 7 };

async function startExpress(service) {
  const app = express().use(expressKey(service, options));
  app.get('/', (request, response) => response.json(request.greenroom));
  app.use((error, _request, response, _next) => response.status(500).json({ failed: error.code }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, stop: () => server.close() };
}

async function startFastify(service) {
  const app = fastify();
  app.addHook(
    'onRequest',
    fastifyKey(service, () => options),
  );
  app.get('/', (request) => request.greenroom);
  app.setErrorHandler((error, _request, reply) => reply.code(500).send({ failed: error.code }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: app.server.address().port, stop: () => app.close() };
}

async function startHono(service) {
  const app = new Hono();
  app.use(honoKey(service, (c) => getConnInfo(c).remote.address, options));
  app.get('/', (c) => c.json(c.get('greenroom')));
  app.onError((error, c) => c.json({ failed: error.code }, 500));
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  return { port: server.address().port, stop: () => server.close() };
}

const outcomes = {};
for (const [name, start] of Object.entries({
  express: startExpress,
  fastify: startFastify,
  hono: startHono,
})) {
  const request = async (service, headers) => {
    const { port, stop } = await start(service);
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      headers: { ...headers, connection: 'close' },
    });
    const body = await response.json();
    const sent = ['www-authenticate', 'retry-after'].filter((header) => response.headers.has(header));
    await stop();
    return [response.status, body.key_id ?? body.failed ?? body.detail.code, ...sent];
  };
  outcomes[name] = { none: await request(greenroom, {}) };
  for (const [kind, key] of Object.entries(JSON.parse(KEYS)))
    outcomes[name][kind] = await request(greenroom, { 'xi-api-key': key });
  outcomes[name].bearer = await request(greenroom, { authorization: `Bearer ${JSON.parse(KEYS).good}` });
  outcomes[name].away = await request(away, { 'xi-api-key': 'grk_any' });
  outcomes[name].wrong = await request(wrong, { 'xi-api-key': 'grk_any' });
}
console.log(JSON.stringify(outcomes));
