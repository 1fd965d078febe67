import { Socket } from 'node:net';
import { PostgresClient, type SessionSettings } from './postgres-client';

export interface ListeningOptions {
  /** How PostgreSQL names the connection in `pg_stat_activity`. */
  name: string;
  channels: readonly string[];
  /** Settings of the session that differ from those of every other connection. */
  session?: SessionSettings;
  /** Called for each notification, in the order of commits. */
  received: (channel: string, payload: string) => void;
}

const QUERY_TIMEOUT_MS = 2_000;
/** Until an idle connection is probed, so that one whose other side is gone without a word is noticed. */
const KEEP_ALIVE_MS = 10_000;

/**
 * A separate connection to PostgreSQL on which a process listens for notifications, for as long as the connection lasts.
 * PostgreSQL delivers them in the order of commits and, on one connection, without gaps.
 */
export class ListeningConnection {
  /** Rejects when the connection is gone. Never resolves. */
  readonly lost: Promise<never>;
  private readonly socket = new Socket();
  private readonly client: PostgresClient;
  private lastQuery: Promise<unknown> = Promise.resolve();

  private constructor(databaseUrl: string, { name, session, received }: ListeningOptions) {
    this.client = new PostgresClient({
      connectionString: databaseUrl,
      application_name: name,
      query_timeout: QUERY_TIMEOUT_MS,
      session,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream: () => this.socket,
    });
    this.lost = new Promise((_, reject) => {
      this.client.on('error', reject);
      this.client.on('end', () => reject(new Error(`The connection ${name} has ended.`)));
    });
    this.lost.catch(() => undefined);
    this.client.on('notification', ({ channel, payload = '' }) => received(channel, payload));
  }

  /**
   * Connects and listens. What was committed before it resolves may have been missed.
   *
   * @throws the driver's error
   */
  static async open(databaseUrl: string, options: ListeningOptions): Promise<ListeningConnection> {
    const connection = new ListeningConnection(databaseUrl, options);
    try {
      await connection.client.connect();
      for (const channel of options.channels) await connection.query(`LISTEN "${channel}"`);
    } catch (error) {
      connection.drop();
      throw error;
    }
    return connection;
  }

  /**
   * Runs a statement after those before it: the driver does not queue them.
   *
   * @throws the driver's error
   */
  async query(sql: string, values: unknown[] = []): Promise<void> {
    const turn = this.lastQuery.then(() => this.client.query(sql, values));
    this.lastQuery = turn.catch(() => undefined);
    await turn;
  }

  /** Takes leave of the server and closes the connection. */
  async close(): Promise<void> {
    try {
      await this.client.end();
    } finally {
      this.drop();
    }
  }

  /** Closes the connection without notifying the other side, which may be gone. */
  drop(): void {
    this.socket.destroy();
  }
}
