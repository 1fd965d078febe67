import { compileTrustedProxies } from '@app/domain/addresses/client-address';
import type { AppConfig } from '@app/config/app-config';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import fastify, { type FastifyInstance, type preParsingHookHandler } from 'fastify';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { RawConnection } from '../../../../test/support/raw-connection';
import { eventually } from '../../../../test/support/eventually';
import { RouteTable } from '../http/route-table';
import { ErrorFilter } from './error.filter';
import { boundLargeBodies } from './large-bodies';
import { keepRouteConfiguration } from './route-configuration';

const config = { trustedProxies: compileTrustedProxies([]).trusted } as AppConfig;
const MIB = 1024 * 1024;
/** What an account has. */
const SHARE_MIB = 8;

let server: FastifyInstance;
let url: string;
let open: RawConnection[];
/** Ends what the handlers wait for. */
let release: () => void;
let handled = 0;
/** Bytes of all bodies that have been counted. */
let arrived: number;

beforeAll(async () => {
  server = fastify({ bodyLimit: 16 * MIB });
  keepRouteConfiguration(server);
  server.addHook('onRequest', async (request) => {
    const { account, service } = request.headers;
    if (account) request.caller = { accountId: account } as VerifiableKey;
    if (service) request.service = { id: service as string, name: 'gateway', disabled: false } as never;
  });
  const filter = new ErrorFilter(new RouteTable());
  server.setErrorHandler((error, request, reply) => filter.sendRefusal(error, request, reply));
  boundLargeBodies(server, config);
  server.addHook('onRoute', (route) => {
    const observe: preParsingHookHandler = (_request, _reply, payload, done) => {
      payload.on('data', (piece: Buffer | string) => (arrived += piece.length));
      done(null, payload);
    };
    route.preParsing = [route.preParsing ?? [], observe].flat();
  });
  const released = () => new Promise<void>((resolve) => (release = resolve));
  server.post('/', (request, reply) => reply.send((request.body as string).length));
  server.post('/slow', (_request, reply) => {
    handled += 1;
    void released().then(() => reply.send('done'));
  });
  server.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  await server.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  open = [];
  arrived = 0;
});
afterEach(() => open.forEach((each) => each.close()));
afterAll(() => server.close());

/** Begins a body without a length. */
async function begin(header: string, path = '/'): Promise<RawConnection> {
  const connection = await RawConnection.to(url);
  open.push(connection);
  connection.send(
    `POST ${path} HTTP/1.1\r\nHost: here\r\n${header}\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  return connection;
}

/** Waits until bodies were counted; a request that is sent before competes with them for their share. */
const arrival = (bytes: number) => eventually(() => expect(arrived).toBe(bytes));
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
const END = '0\r\n\r\n';

async function post(header: string, bytes: number): Promise<number> {
  const connection = await begin(header);
  connection.send((bytes > 0 ? chunk(bytes) : '') + END);
  return status(connection);
}

async function status(connection: RawConnection): Promise<number> {
  return eventually(() => {
    const [first] = connection.statuses;
    if (first === undefined) throw new Error('no response yet');
    return first;
  });
}

it.each(['account: a', 'service: gateway'])(
  'bodies without a length count what has arrived: %s',
  async (who) => {
    for (let index = 0; index < 20; index += 1) (await begin(who)).send(chunk(10));
    expect(await post(who, 10)).toBe(200);
    expect(await post(who, MIB)).toBe(200);
  },
);

it('one account has its share, and another behind the same address has its own', async () => {
  const bodies = await Promise.all(Array.from({ length: SHARE_MIB }, () => begin('account: a')));
  for (const body of bodies) body.send(chunk(MIB - 64 * 1024));
  await arrival(SHARE_MIB * (MIB - 64 * 1024));
  expect(await post('account: a', MIB)).toBe(429);
  expect(await post('account: b', MIB)).toBe(200);
  expect(await post('service: gateway', MIB)).toBe(200);
  for (const body of bodies) body.send(END);
  expect(await Promise.all(bodies.map(status))).toEqual(bodies.map(() => 200));
  expect(await post('account: a', MIB)).toBe(200);
});

it('a refused body holds nothing: of many at once, as many as have room are served', async () => {
  const bodies = await Promise.all(Array.from({ length: 2 * SHARE_MIB }, () => begin('account: a')));
  for (const body of bodies) body.send(chunk(MIB - 64 * 1024));
  await eventually(() =>
    expect(bodies.filter(({ statuses }) => statuses.includes(429))).toHaveLength(SHARE_MIB),
  );
  for (const body of bodies) body.send(END);
  const served = (await Promise.all(bodies.map(status))).filter((each) => each === 200);
  expect(served).toHaveLength(SHARE_MIB);
  expect(await post('account: a', SHARE_MIB * MIB)).toBe(200);
});

it('a body counts until its handler has ended, though its client has left', async () => {
  const body = await begin('account: a', '/slow');
  body.send(chunk(SHARE_MIB * MIB) + END);
  await eventually(() => expect(handled).toBe(1));
  body.close();
  await pause(100);
  expect(await post('account: a', MIB)).toBe(429);
  release();
  await eventually(async () => expect(await post('account: a', MIB)).toBe(200));
});

it('a body whose client leaves before its end counts no more', async () => {
  const body = await begin('account: a');
  body.send(chunk(SHARE_MIB * MIB));
  await arrival(SHARE_MIB * MIB);
  expect(await post('account: a', MIB)).toBe(429);
  body.close();
  await eventually(async () => expect(await post('account: a', MIB)).toBe(200));
});

it('a client that leaves after its body was refused for its size leaves the process alive', async () => {
  const body = await begin('account: a');
  body.send(chunk(17 * MIB));
  expect(await status(body)).toBe(413);
  body.close();
  expect(await post('account: a', MIB)).toBe(200);
});

it('a declared length counts before its first byte', async () => {
  const connection = await RawConnection.to(url);
  open.push(connection);
  connection.send(
    `POST / HTTP/1.1\r\nHost: here\r\naccount: a\r\nContent-Type: text/plain\r\nContent-Length: ${SHARE_MIB * MIB}\r\n\r\nx`,
  );
  await arrival(1);
  expect(await post('account: a', MIB)).toBe(429);
  expect(await post('account: b', MIB)).toBe(200);
});
