import { HeldShares } from '@app/domain/common/held-shares';
import type { FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { eventually } from '../../../../test/support/eventually';
import { BODY_WINDOW_MS, MIN_BODY_BYTES_PER_SEC } from './slow-bodies';
import { SocketBudgets, type SocketBudget } from './socket-budgets';

const OWNER = 'account';
const KIB = 1024;
const PER_OWNER = 256 * KIB;
const SECOND_MS = 1_000;

interface Watched {
  client: Socket;
  budget: SocketBudget;
  webSocket: WebSocket;
  shares: HeldShares;
  /** Codes of its refusals. */
  refusals: string[];
}

const server = createServer();
const open: (() => void)[] = [];
const acceptor = new WebSocketServer({ noServer: true });

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
  for (const close of open.splice(0)) close();
});

afterAll(async () => {
  await new Promise((done) => server.close(done));
});

/** A connection of a client that has said who it is, accepted as a WebSocket. */
async function watched(
  shares = new HeldShares({ perOwner: PER_OWNER, inAll: 10 * PER_OWNER }),
): Promise<Watched> {
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  client.write(
    `GET / HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  );
  const [raw, socket, head] = (await once(server, 'upgrade')) as [IncomingMessage, Socket, Buffer];
  const webSocket = await new Promise<WebSocket>((done) => acceptor.handleUpgrade(raw, socket, head, done));
  open.push(() => {
    client.destroy();
    webSocket.terminate();
  });
  const budgets = new SocketBudgets(() => ({ shares, id: OWNER, whose: 'of your account' }));
  const refusals: string[] = [];
  const request = { raw, caller: {} } as FastifyRequest;
  const budget = budgets.watch(request, webSocket, ({ code }) => refusals.push(code));
  return { client, budget, webSocket, shares, refusals };
}

/** The head of a text of so many bytes, with a mask of zeros. */
function headOf(length: number): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x81, 0xff]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** Sends, and waits until the server has read it. */
async function send({ client, budget }: Watched, bytes: Uint8Array): Promise<void> {
  const before = budget.bytesRead;
  client.write(bytes);
  await eventually(() => Promise.resolve(expect(budget.bytesRead).toBe(before + bytes.length)));
}

it.each([
  ['a byte a second', 1, true],
  ['half the least rate', MIN_BODY_BYTES_PER_SEC / 2, true],
  ['the least rate', MIN_BODY_BYTES_PER_SEC, false],
])('a frame that arrives at %s', async (_, bytesPerSec, isRefused) => {
  const socket = await watched();
  await send(socket, headOf(PER_OWNER - KIB));
  const startMs = performance.now();
  for (let ms = SECOND_MS; ms <= BODY_WINDOW_MS + SECOND_MS; ms += SECOND_MS) {
    await send(socket, Buffer.alloc(bytesPerSec));
    socket.budget.check(startMs + ms);
    if (socket.refusals.length > 0) break;
  }
  expect(socket.refusals).toEqual(isRefused ? ['request_timeout'] : []);
});

it('a socket that has no unfinished message may be silent', async () => {
  const socket = await watched();
  await send(socket, headOf(10));
  await send(socket, Buffer.alloc(10));
  for (let windows = 1; windows < 5; windows += 1)
    socket.budget.check(performance.now() + windows * BODY_WINDOW_MS);
  expect(socket.refusals).toEqual([]);
});

it('what has arrived of a message counts until it is read, or its client leaves', async () => {
  const socket = await watched();
  const { shares } = socket;
  await send(socket, headOf(100 * KIB));
  await send(socket, Buffer.alloc(99 * KIB));
  expect(shares.heldBy(OWNER)).toBeGreaterThanOrEqual(99 * KIB);
  await send(socket, Buffer.alloc(KIB));
  expect(shares.heldBy(OWNER)).toBe(0);
  await send(socket, headOf(100 * KIB));
  await send(socket, Buffer.alloc(50 * KIB));
  expect(shares.heldBy(OWNER)).toBeGreaterThanOrEqual(50 * KIB);
  socket.client.destroy();
  await once(socket.webSocket, 'close');
  expect(shares.heldBy(OWNER)).toBe(0);
});

it('more than the share of an owner is refused, holds nothing, and is not read on', async () => {
  const socket = await watched();
  const second = await watched(socket.shares);
  await send(socket, headOf(PER_OWNER));
  await send(socket, Buffer.alloc(PER_OWNER / 2));
  await send(second, headOf(PER_OWNER));
  second.client.write(Buffer.alloc(PER_OWNER - KIB));
  await eventually(() => Promise.resolve(expect(second.refusals).toEqual(['too_many_large_bodies'])));
  expect(second.webSocket.isPaused).toBe(true);
  expect(socket.shares.heldBy(OWNER)).toBeLessThan(PER_OWNER * 0.75);
  expect(socket.refusals).toEqual([]);
});
