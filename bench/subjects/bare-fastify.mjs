import Fastify from 'fastify';

const app = Fastify();
app.get('/v1/models', async () => ({ hello: 'world' }));
app.post('/introspect', async () => ({ hello: 'world' }));
app.get('/readyz', async () => ({ hello: 'world' }));
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`ready ${app.server.address().port}`);
