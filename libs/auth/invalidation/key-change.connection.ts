import { CHANGE_CHANNEL } from '@app/database/keys/key-change.repository';
import { Socket } from 'node:net';
import { Client } from 'pg';

/** The notification of changed keys. One message; PostgreSQL delivers it when the change has been committed. */
export interface ChangeMessage {
  /** Number of the message, unique. */
  number: number;
  /** Ids of keys and accounts, separated by commas. */
  ids: string;
  /** The process that waits for acknowledgements, if any does. */
  requestedBy: string | null;
}

export interface Acknowledgement {
  requestedBy: string;
  number: number;
}

interface ChangeHandlers {
  /** Keys or accounts have changed, and the change is committed. */
  changed(message: ChangeMessage): void;
  /** Another process has acknowledged a message of ours. */
  acknowledged(processId: string, numbers: number[]): void;
}

const CONNECT_TIMEOUT_MS = 2_000;
const QUERY_TIMEOUT_MS = 2_000;

/** The channel on which one process receives its own heartbeats and the acknowledgements it waits for. */
const ownChannel = (processId: string) => `greenroom_process_${processId}`;

/**
 * One connection to PostgreSQL that listens for key changes, for as long as it lasts.
 *
 * PostgreSQL delivers messages in the order of commits, on a connection without gaps. So a heartbeat, which is a message to
 * oneself, proves when it comes back that everything committed before it was sent has been received.
 */
export class KeyChangeConnection {
  /** Rejects when the connection is gone. Never resolves. */
  readonly lost: Promise<never>;
  private readonly socket: Socket;
  private readonly client: Client;
  private heartbeats = 0;
  private lastQuery: Promise<unknown> = Promise.resolve();
  private onHeartbeat: ((heartbeat: number) => void) | null = null;

  private constructor(
    databaseUrl: string,
    private readonly processId: string,
    private readonly handlers: ChangeHandlers,
  ) {
    this.socket = new Socket();
    this.client = new Client({
      connectionString: databaseUrl,
      application_name: 'greenroom-key-changes',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      // Nothing this connection writes is missed after a crash of the server: waiting for the disk would gain nothing.
      options: '-c synchronous_commit=off',
      stream: () => this.socket,
    });
    this.lost = new Promise((_, reject) => {
      this.client.on('error', reject);
      this.client.on('end', () => reject(new Error('The connection that receives key changes has ended.')));
    });
    this.lost.catch(() => undefined);
    this.client.on('notification', ({ channel, payload = '' }) => this.receive(channel, payload));
  }

  /**
   * Connects and listens. What was committed before it resolves may have been missed.
   *
   * @throws the driver's error
   */
  static async open(
    databaseUrl: string,
    processId: string,
    handlers: ChangeHandlers,
  ): Promise<KeyChangeConnection> {
    const connection = new KeyChangeConnection(databaseUrl, processId, handlers);
    try {
      await connection.client.connect();
      await connection.query(`LISTEN ${CHANGE_CHANNEL}`);
      await connection.query(`LISTEN "${ownChannel(processId)}"`);
    } catch (error) {
      connection.drop();
      throw error;
    }
    return connection;
  }

  /**
   * Sends a heartbeat that says this process is alive, and resolves when it has come back.
   *
   * @throws when it has not after `timeoutMs`, or the connection is lost
   */
  async heartbeat(timeoutMs: number): Promise<void> {
    const heartbeat = ++this.heartbeats;
    let timer: NodeJS.Timeout | undefined;
    const returned = new Promise<void>((resolve, reject) => {
      this.onHeartbeat = (latest) => latest >= heartbeat && resolve();
      timer = setTimeout(
        () => reject(new Error(`No heartbeat came back within ${timeoutMs} ms.`)),
        timeoutMs,
      );
    });
    try {
      await Promise.all([returned, Promise.race([this.sendHeartbeat(heartbeat), this.lost])]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Acknowledges to other processes that this one has evicted what they changed. */
  async acknowledge(done: Acknowledgement[]): Promise<void> {
    const numbersFor = new Map<string, number[]>();
    for (const { requestedBy, number } of done) {
      numbersFor.set(requestedBy, [...(numbersFor.get(requestedBy) ?? []), number]);
    }
    await this.query('SELECT pg_notify(c, p) FROM unnest($1::text[], $2::text[]) AS t (c, p)', [
      [...numbersFor.keys()].map(ownChannel),
      [...numbersFor.values()].map((numbers) => `${this.processId}:${numbers.join()}`),
    ]);
  }

  /** Removes the process from the list of live ones, and closes the connection. */
  async close(): Promise<void> {
    try {
      await Promise.race([this.query('DELETE FROM api_process WHERE id = $1', [this.processId]), this.lost]);
      await this.client.end();
    } finally {
      this.drop();
    }
  }

  /** Closes the connection without notifying the other side, which may be gone. */
  drop(): void {
    this.socket.destroy();
  }

  private async sendHeartbeat(heartbeat: number): Promise<void> {
    await this.query(
      `WITH alive AS (
         INSERT INTO api_process (id, seen_at) VALUES ($1, clock_timestamp())
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
       ), gone AS (DELETE FROM api_process WHERE seen_at < now() - interval '1 minute' AND id <> $1)
       SELECT pg_notify($2, $3)`,
      [this.processId, ownChannel(this.processId), `heartbeat:${heartbeat}`],
    );
  }

  /** One query at a time: the driver does not queue them. */
  private async query(sql: string, values: unknown[] = []): Promise<void> {
    const turn = this.lastQuery.then(() => this.client.query(sql, values));
    this.lastQuery = turn.catch(() => undefined);
    await turn;
  }

  private receive(channel: string, payload: string): void {
    if (channel === CHANGE_CHANNEL) return this.handlers.changed(JSON.parse(payload) as ChangeMessage);
    const [from = '', numbers = ''] = payload.split(':');
    if (from === 'heartbeat') this.onHeartbeat?.(Number(numbers));
    else this.handlers.acknowledged(from, numbers.split(',').map(Number));
  }
}
