import { compileTrustedProxies } from '@app/domain/addresses/client-address';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { HeldBytes } from './held-bytes';

const PER_NETWORK = 64;
const IN_ALL = 192;
const HALF = PER_NETWORK / 2;
const config = { trustedProxies: compileTrustedProxies([]).trusted };

let server: FastifyInstance;
/** Receives the reply that waits, in an object: a reply can be awaited, and would be. */
let arrived: (waiting: { reply: FastifyReply }) => void;
let clients: Socket[];
let held: HeldBytes;

beforeAll(async () => {
  server = fastify();
  server.get('/', async (_request, reply) => {
    arrived({ reply });
    await once(reply.raw, 'close');
  });
  await server.listen();
});

beforeEach(() => {
  clients = [];
  held = new HeldBytes(config, { perNetwork: PER_NETWORK, inAll: IN_ALL });
});

afterEach(() => clients.forEach((client) => client.destroy()));
afterAll(() => server.close());

/** A request of a client with this address. */
async function request(from = '127.0.0.1') {
  const arrival = new Promise<{ reply: FastifyReply }>((resolve) => (arrived = resolve));
  const { port } = server.server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', localAddress: from });
  clients.push(client);
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  return { client, ...(await arrival) };
}

const hold = async (bytes: number, from?: string) => held.hold((await request(from)).reply, bytes);

it('accepts what a network has room for, and again when a client has left', async () => {
  const first = await request();
  const results = [
    held.hold(first.reply, HALF),
    await hold(HALF),
    await hold(1),
    await hold(HALF, '127.0.0.2'),
  ];
  const tooMuch = {
    bytes: 1,
    held: PER_NETWORK,
    limit: PER_NETWORK,
    network: expect.stringContaining('127.0.0.1'),
  };
  expect(results).toEqual([null, null, tooMuch, null]);
  first.client.destroy();
  await once(first.reply.raw, 'close');
  expect(await hold(HALF)).toBeNull();
});

it('has a bound for all networks together', async () => {
  const first = await request();
  held.hold(first.reply, HALF);
  for (let i = 2; i <= IN_ALL / HALF; i += 1) await hold(HALF, `127.0.0.${i}`);
  await expect(hold(1, '127.0.0.99')).rejects.toMatchObject({ code: 'system_busy' });
  first.client.destroy();
  await once(first.reply.raw, 'close');
  expect(await hold(1, '127.0.0.99')).toBeNull();
});

it('accepts the first of a network whatever its size', async () => {
  expect(await hold(2 * IN_ALL)).toBeNull();
});

it('counts nothing for a client that has left, which nothing would release', async () => {
  const { client, reply } = await request();
  client.destroy();
  await once(reply.raw, 'close');
  expect(() => held.hold(reply, PER_NETWORK)).toThrow(expect.objectContaining({ code: 'client_gone' }));
  expect(await hold(HALF)).toBeNull();
  expect(await hold(HALF)).toBeNull();
});
