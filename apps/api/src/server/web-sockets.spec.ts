import { loadConfig } from '@app/config/app-config';
import { once } from 'node:events';
import { createServer, ServerResponse, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { StrangerSockets } from './stranger-sockets';
import { ApiRequest, receiveWebSockets } from './web-sockets';

/** Frames with a mask of zeros (RFC 6455, 5.2). */
const PING = Buffer.of(0x89, 0x80, 0, 0, 0, 0);
const TEXT = Buffer.of(0x81, 0x81, 0, 0, 0, 0, 0x61);
/** It closes with a code that does not exist. */
const BAD_CLOSE = Buffer.of(0x88, 0x82, 0, 0, 0, 0, 0, 1);
const BAD_TEXT = Buffer.of(0x81, 0x81, 0, 0, 0, 0, 0xff);
const MORE = Buffer.alloc(100, 0x20);

let server: Server;

beforeEach(async () => {
  server = createServer({ IncomingMessage: ApiRequest });
  receiveWebSockets(server, ServerResponse, new StrangerSockets(loadConfig({}), ''));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => server.close());

/** An accepted WebSocket, the connection that it reads, and its client. */
async function accept(): Promise<{ webSocket: WebSocket; connection: Socket; client: Socket }> {
  const accepted = once(server, 'request').then(async (args) => {
    const request = args[0] as ApiRequest;
    return { webSocket: await request.acceptWebSocket!(), connection: request.socket };
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined).resume();
  client.write(
    `GET / HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'a'.repeat(22)}==\r\n\r\n`,
  );
  return { ...(await accepted), client };
}

describe('a frame that is refused', () => {
  it.each([
    ['a ping and a close', PING, BAD_CLOSE],
    ['a message and a close', TEXT, BAD_CLOSE],
    ['a message and a text', TEXT, BAD_TEXT],
  ])('ends the socket, whatever has arrived behind it: %s', async (_, first, refused) => {
    const { webSocket, connection, client } = await accept();
    const failed = once(webSocket, 'error');
    // All of it is there before the first frame has had its turn.
    for (const chunk of [first, refused, MORE, MORE]) connection.emit('data', chunk);
    const [error] = await failed;
    expect(error).toMatchObject({ message: expect.stringMatching(/^Invalid WebSocket frame/) });
    const closed = once(webSocket, 'close');
    client.destroy();
    expect([(await closed)[0], webSocket.readyState]).toEqual([1006, webSocket.CLOSED]);
  });

  it('by itself is as before', async () => {
    const { webSocket, connection, client } = await accept();
    const read = once(webSocket, 'message');
    connection.emit('data', TEXT);
    expect(String((await read)[0])).toBe('a');
    client.destroy();
  });
});
