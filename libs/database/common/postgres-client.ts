import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';

const READ_TIMEOUT = 'Query read timeout';

/** For a server that does not accept a connection; shorter than a pool waits for one that is in use. */
const CONNECT_MS = 2_000;
/** More than closing takes. */
const CLOSE_MS = 500;

/**
 * A client of a connection pool that connects within 2 s or not at all, and closes its connection when no response arrives
 * within `query_timeout`.
 *
 * The driver fails such a query and leaves it at the head of the connection's queue. Over a connection that is half-open,
 * after a failover or a firewall that has dropped it, each next user of the pool would wait in vain as well.
 */
export class PostgresClient extends Client {
  constructor(options: ClientConfig) {
    super({ ...options, connectionTimeoutMillis: CONNECT_MS });
  }

  // One of the driver's overloads stands for all of them: what is given is handed on.
  override query = ((...args: [string]): unknown => {
    const result: unknown = super.query(...args);
    if (!(result instanceof Promise)) return result;
    return result.catch(async (error: Error) => {
      if (error.message === READ_TIMEOUT) await this.disconnect(error);
      throw error;
    });
  }) as Client['query'];

  /** Returns when it is known to be closed, for until then the pool would hand it to the next. */
  private async disconnect(cause: Error): Promise<void> {
    const ended = new Promise((resolve) => this.once('end', resolve));
    this.connection.stream.destroy(cause);
    // It may be known already.
    await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
  }
}
