import type { Client } from 'pg';
import { inListeningTime } from './listening-time';

/**
 * Connects, or gives up on a server that does not accept the connection for so long as this process listens.
 *
 * @param connect the client's own method
 * @param withinMs milliseconds
 * @throws Error `timeout expired`, as the driver does; whatever the driver throws
 */
export async function connectInTime(
  client: Client,
  connect: () => Promise<unknown>,
  withinMs: number,
): Promise<void> {
  await inListeningTime(connect(), withinMs, () => {
    const error = new Error('timeout expired');
    client.connection.stream.destroy(error);
    throw error;
  });
}
