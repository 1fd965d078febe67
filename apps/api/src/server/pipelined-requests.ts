import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on a connection behind the one that is being handled. Usual clients send one at a time. */
const MAX_WAITING_REQUESTS = 32;

/**
 * Handles the requests of a connection one after the other, each when the client has taken the response before it. Node
 * would handle them all at once, and keep every response in memory until the client reads. A connection with more than
 * `MAX_WAITING_REQUESTS` is closed.
 *
 * @param onTooMany what else is to be done about such a client
 */
export function handleRequestsInTurn(server: Server, onTooMany: (socket: Socket) => void): void {
  const [handle] = server.listeners('request') as [RequestListener];
  const waiting = new WeakMap<Socket, number>();
  server.off('request', handle);
  server.on('request', (request, response) => {
    // A response has its socket as soon as it is the connection's next one.
    if (response.socket) handle(request, response);
    else wait(request, response);
  });

  function wait(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const before = waiting.get(socket) ?? 0;
    // What else has arrived with these requests is still parsed, one by one.
    if (socket.destroyed) return;
    if (before === MAX_WAITING_REQUESTS) {
      onTooMany(socket);
      socket.destroy();
      return;
    }
    waiting.set(socket, before + 1);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      handle(request, response);
    });
  }
}
