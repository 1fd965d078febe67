import express from 'express';
import fastify from 'fastify';
import { expressKey, fastifyKey, Greenroom, honoKey, type Schema } from 'greenroom-client';
import { Hono } from 'hono';

const greenroom = new Greenroom({ url: 'https://greenroom.example', credential: 'grs_' });

express().use(expressKey(greenroom, (request: express.Request) => ({ operation: request.path })));
fastify().addHook('onRequest', fastifyKey(greenroom, { cost: 1 }));
new Hono<{ Variables: { greenroom: Schema['ActiveResponse'] } }>()
  .use(honoKey(greenroom, () => '192.0.2.1'))
  .get('/', (c) => c.text(c.get('greenroom').account_id));
