import { DomainError } from '@app/domain/errors';
import { IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { StrangerSockets } from './stranger-sockets';

declare module 'node:http' {
  interface IncomingMessage {
    /**
     * Of a WebSocket's handshake: accepts it instead of sending a response.
     *
     * @throws DomainError `bad_request` when the handshake is malformed, `client_gone`
     */
    acceptWebSocket?: () => Promise<WebSocket>;
  }
}

/** Of one message; the same as of a JSON body. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Of one message: frames, and packets of the network. Each is an object, however small it is. */
const MAX_FRAGMENTS = 1_024;
const MAX_CHUNKS = 4_096;

/** Node keeps the response that is being written to a connection here. */
interface HttpSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

/**
 * A request whose client asks for an upgrade only if that is one to a WebSocket. Once a server accepts upgrades, Node hands over
 * the connection of every request that asks for any: Java's HttpClient asks for `h2c` with each of its requests.
 */
export class ApiRequest extends IncomingMessage {
  private asksForUpgrade: boolean | null = null;

  get upgrade(): boolean {
    return (
      this.asksForUpgrade === true &&
      this.method === 'GET' &&
      this.headers.upgrade?.toLowerCase() === 'websocket'
    );
  }

  /** Node sets it when it has read the first line, and reads it after the headers. */
  set upgrade(asks: boolean | null) {
    this.asksForUpgrade = asks;
  }
}

/**
 * Takes the handshake of a WebSocket through everything that any request goes through, unless its network has as many sockets as
 * strangers may have. Its route accepts it; any other response
 * ends the connection.
 */
export function receiveWebSockets(
  server: Server,
  Response: typeof ServerResponse,
  strangers: StrangerSockets,
): void {
  const acceptor = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_CHUNKS,
    // Between two messages, others have their turn.
    allowSynchronousEvents: false,
  });
  const malformed = new WeakMap<IncomingMessage, (error: DomainError) => void>();
  // Instead of the response.
  acceptor.on('wsClientError', ({ message: reason }, _socket, request) => {
    malformed.get(request)?.(new DomainError('bad_request', { reason }));
  });
  server.on('upgrade', (request: IncomingMessage, socket: HttpSocket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    // The connection is no longer read as HTTP: neither a body nor what was sent behind another request has an end.
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (socket._httpMessage || length !== undefined || encoding !== undefined) {
      socket.destroy();
      return;
    }
    if (!strangers.accept(request, socket)) return;
    const response = new Response(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => {
      if (response.socket) socket.destroySoon();
    });
    request.acceptWebSocket = () =>
      new Promise((resolve, reject) => {
        malformed.set(request, reject);
        // `ws` says nothing of a client that has left.
        if (socket.destroyed) reject(new DomainError('client_gone'));
        socket.once('close', () => reject(new DomainError('client_gone')));
        acceptor.handleUpgrade(request, socket, head, (webSocket) => {
          response.detachSocket(socket);
          response.statusCode = 101;
          // It is logged and counted like any other response.
          response.emit('finish');
          webSocket.once('close', () => response.emit('close'));
          readNothingAfterAnError(webSocket);
          resolve(webSocket);
        });
      });
    server.emit('request', request, response);
  });
}

/**
 * `ws` still parses what waits behind a frame that it has refused, with what is left of that frame: it throws then, and no handler of
 * ours is on the stack.
 */
function readNothingAfterAnError(webSocket: WebSocket): void {
  const { _receiver: receiver } = webSocket as unknown as { _receiver: Writable };
  const parse = receiver._write.bind(receiver);
  receiver._write = (chunk: Buffer, encoding, done) =>
    receiver.errored ? done() : parse(chunk, encoding, done);
}
