import { Pool, type ClientBase, type PoolClient, type PoolConfig } from 'pg';
import { currentPatience } from './late-database';
import { inListeningTime } from './listening-time';
import { PostgresClient } from './postgres-client';

type Done = (error: Error | undefined, client?: PoolClient, release?: (destroy?: boolean) => void) => void;

/**
 * A pool of `PostgresClient`s. Its `connectionTimeoutMillis` counts only the time in which this process listens (`inListeningTime`);
 * the driver's is on the clock, so that a busy process would cut, in its timers, connections whose responses wait in their
 * sockets.
 */
export class PostgresPool extends Pool {
  /** How long a caller waits for a connection, new or in use, in milliseconds; 0 is without a limit. */
  waitMs: number;

  constructor({ connectionTimeoutMillis = 0, ...config }: PoolConfig) {
    super({ ...config, Client: PostgresClient as unknown as new () => ClientBase });
    this.waitMs = connectionTimeoutMillis * currentPatience();
  }

  // The driver's overloads: with a callback or with a promise.
  override connect = ((done?: Done): unknown => {
    const client = this.take();
    if (!done) return client;
    return void client.then(
      (taken) => done(undefined, taken, taken.release.bind(taken)),
      (error: Error) => done(error, undefined, () => undefined),
    );
  }) as Pool['connect'];

  private async take(): Promise<PoolClient> {
    const isNew = this.idleCount === 0 && this.totalCount < this.options.max;
    const isAtOnce = this.waitMs === 0 || (this.idleCount > 0 && this.waitingCount === 0);
    const client = super.connect();
    return isAtOnce ? client : this.inTime(client, isNew);
  }

  private async inTime(client: Promise<PoolClient>, isNew: boolean): Promise<PoolClient> {
    try {
      return await inListeningTime(client, this.waitMs, () => {
        // The driver's messages for the two.
        throw new Error(
          isNew
            ? 'Connection terminated due to connection timeout'
            : 'timeout exceeded when trying to connect',
        );
      });
    } catch (error) {
      client.then(
        (unused) => unused.release(),
        () => undefined,
      );
      throw error;
    }
  }
}
