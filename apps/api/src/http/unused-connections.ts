import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/**
 * Lets the server stop while connections are open that nothing was ever asked on, as browsers and clients keep in stock:
 * to Node they are not idle, and it would wait for them.
 */
export function closeUnusedConnections(fastify: FastifyInstance): void {
  const unused = new Set<Socket>();
  fastify.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  fastify.server.on('request', ({ socket }: { socket: Socket }) => unused.delete(socket));
  fastify.addHook('preClose', (done) => {
    for (const socket of unused) socket.destroy();
    done();
  });
}
