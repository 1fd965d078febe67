import { Logger } from '@nestjs/common';
import type { Server } from 'node:net';

const logger = new Logger('Server');

/**
 * Keeps a process alive whose server cannot accept a connection, for example because no file descriptor is left: the server
 * accepts the next one. Failing to listen at all stays the caller's.
 */
export function keepServing(server: Server): void {
  server.once('listening', () => {
    server.on('error', ({ message }) => logger.warn(`A connection was not accepted: ${message}`));
  });
}
