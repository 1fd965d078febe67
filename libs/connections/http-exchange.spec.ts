import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { exchangeHttp, type HttpExchange } from './http-exchange';

type Reply = (socket: Socket) => void;

const MAX_BYTES = 1_000;

let server: Server;
let reply: Reply;
const sockets = new Set<Socket>();

beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    socket.once('data', () => reply(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function send(change: Partial<HttpExchange> = {}) {
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/`);
  const signal = new AbortController().signal;
  const limits = { timeoutMs: 20_000, maxBytes: MAX_BYTES };
  return exchangeHttp({ method: 'POST', url, headers: {}, body: '{}', signal, ...limits, ...change });
}

const respondWith =
  (text: string): Reply =>
  (socket) =>
    void socket.write(text);

/** Writes for as long as the other side reads. */
const pour =
  (head: string, chunk: string): Reply =>
  (socket) => {
    socket.write(head);
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  };

const HEAD = 'HTTP/1.1 200 OK\r\n';

describe('a response', () => {
  it.each([
    ['with a length', `${HEAD}content-length: 2\r\n\r\nhi`],
    ['in chunks', `${HEAD}transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`],
    ['with trailers', `${HEAD}transfer-encoding: chunked\r\ntrailer: x\r\n\r\n2\r\nhi\r\n0\r\nx: y\r\n\r\n`],
    [
      'after interim responses',
      `HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${HEAD}content-length: 2\r\n\r\nhi`,
    ],
  ])('%s is read', async (_, text) => {
    reply = respondWith(text);
    await expect(send()).resolves.toMatchObject({
      status: 200,
      body: Buffer.from('hi'),
      bodyEnd: 'complete',
    });
  });

  it('without a length ends with its connection', async () => {
    reply = (socket) => void socket.end(`${HEAD}\r\nhi`);
    await expect(send()).resolves.toMatchObject({ body: Buffer.from('hi'), bodyEnd: 'complete' });
  });

  it('that redirects is a response like others', async () => {
    reply = respondWith(
      'HTTP/1.1 307 Elsewhere\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n',
    );
    await expect(send()).resolves.toMatchObject({
      status: 307,
      headers: { location: 'http://127.0.0.1:1/' },
    });
  });
});

describe('a body', () => {
  it('is read to its bound, and no further', async () => {
    reply = pour(`${HEAD}\r\n`, 'x'.repeat(65_536));
    await expect(send()).resolves.toMatchObject({ body: Buffer.alloc(MAX_BYTES, 'x'), bodyEnd: 'too_long' });
  });

  it('of just the bound is complete', async () => {
    reply = (socket) => void socket.end(`${HEAD}\r\n${'x'.repeat(MAX_BYTES)}`);
    await expect(send()).resolves.toMatchObject({ bodyEnd: 'complete' });
  });

  it('that breaks off keeps what came', async () => {
    reply = (socket) => void socket.end(`${HEAD}content-length: 10\r\n\r\nhi`);
    await expect(send()).resolves.toMatchObject({ status: 200, body: Buffer.from('hi'), bodyEnd: 'broken' });
  });

  it('that does not end is left at the time limit', async () => {
    reply = respondWith(`${HEAD}content-length: 10\r\n\r\nhi`);
    await expect(send({ timeoutMs: 200 })).resolves.toMatchObject({
      body: Buffer.from('hi'),
      bodyEnd: 'timeout',
    });
  });

  it('whose trailers do not end is left', async () => {
    reply = pour(`${HEAD}transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n`, `x: ${'y'.repeat(1_000)}\r\n`);
    await expect(send()).resolves.toMatchObject({ body: Buffer.from('hi'), bodyEnd: 'broken' });
  });
});

describe('no response', () => {
  it.each([
    [
      '101 with an upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
    ],
    ['101 alone', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['101 and more', 'HTTP/1.1 101 X\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
  ])('%s is refused', async (_, text) => {
    reply = respondWith(text);
    await expect(send()).rejects.toMatchObject({
      failure: 'protocol',
      message: expect.stringContaining('101'),
    });
  });

  it('but interim responses without end is refused', async () => {
    reply = pour('', 'HTTP/1.1 103 Early Hints\r\n\r\n');
    await expect(send()).rejects.toMatchObject({ failure: 'protocol' });
  });

  it.each<[string, Reply]>([
    ['a close', (socket) => void socket.end()],
    ['a reset', (socket) => void socket.resetAndDestroy()],
    ['half a head', (socket) => void socket.end('HTTP/1.1 200 O')],
    ['an interim response and a close', (socket) => void socket.end('HTTP/1.1 100 Continue\r\n\r\n')],
    ['something else than HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['headers without end', pour(HEAD, `x: ${'y'.repeat(1_000)}\r\n`)],
  ])('but %s is an error', async (_, how) => {
    reply = how;
    await expect(send()).rejects.toHaveProperty('message', expect.any(String));
  });

  it.each<[string, Reply]>([
    ['silence', () => undefined],
    ['one interim response', respondWith('HTTP/1.1 100 Continue\r\n\r\n')],
  ])('but %s ends at the time limit', async (_, how) => {
    reply = how;
    await expect(send({ timeoutMs: 200 })).rejects.toMatchObject({
      failure: 'timeout',
      message: 'no response within 0.2 s',
    });
  });

  it('and a name that is never resolved ends at the time limit', async () => {
    const url = new URL('http://never.invalid/');
    await expect(send({ url, timeoutMs: 200, lookup: () => undefined })).rejects.toMatchObject({
      failure: 'timeout',
    });
  });
});

describe('the caller', () => {
  it.each<[string, Reply]>([
    ['before a response', () => undefined],
    ['within a body', respondWith(`${HEAD}content-length: 10\r\n\r\nhi`)],
  ])('that stops %s gets its own reason', async (_, how) => {
    const stop = new AbortController();
    const reason = new Error('gone');
    reply = (socket) => {
      how(socket);
      setImmediate(() => stop.abort(reason));
    };
    await expect(send({ signal: stop.signal })).rejects.toBe(reason);
    await expect(send({ signal: stop.signal })).rejects.toBe(reason);
  });
});

it('leaves no connection behind, whatever the server keeps open', async () => {
  for (const text of [
    `${HEAD}content-length: 2\r\n\r\nhi`,
    'HTTP/1.1 101 X\r\n\r\n',
    `${HEAD}content-length: 9\r\n\r\nhi`,
  ]) {
    const closed = new Promise((resolve) => {
      reply = (socket) => {
        socket.once('close', resolve).write(text);
      };
    });
    await send({ timeoutMs: 500 }).catch(() => undefined);
    await closed;
  }
});
