import { ListeningConnection } from '@app/database/common/listening-connection';
import { CHANGE_CHANNEL } from '@app/database/keys/key-change.repository';

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

/** The channel on which one process receives its own heartbeats and the acknowledgements it waits for. */
const ownChannel = (processId: string) => `greenroom_process_${processId}`;

/** Nothing that these connections write is missed after a crash of the server: waiting for the disk would gain nothing. */
const SESSION = { synchronous_commit: 'off' };

/**
 * One connection to PostgreSQL that listens for key changes, for as long as it lasts.
 *
 * A heartbeat is a message to oneself: when it comes back, everything committed before it was sent has been received. It is sent on
 * another connection, as changes are, and so crosses what they cross: a pooler that keeps notifications from a connection that
 * listens still delivers those that it sends itself.
 */
export class KeyChangeConnection {
  private heartbeats = 0;
  private onHeartbeat: ((heartbeat: number) => void) | null = null;

  private constructor(
    private readonly connection: ListeningConnection,
    private readonly sender: ListeningConnection,
    private readonly processId: string,
  ) {}

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
    let opened: KeyChangeConnection | undefined;
    const connection = await ListeningConnection.open(databaseUrl, {
      name: 'greenroom-key-changes',
      channels: [CHANGE_CHANNEL, ownChannel(processId)],
      session: SESSION,
      received: (channel, payload) => {
        if (channel === CHANGE_CHANNEL) handlers.changed(JSON.parse(payload) as ChangeMessage);
        else opened?.receiveOwn(payload, handlers);
      },
    });
    try {
      const sender = await ListeningConnection.open(databaseUrl, {
        name: 'greenroom-heartbeats',
        channels: [],
        session: SESSION,
        received: () => undefined,
      });
      opened = new KeyChangeConnection(connection, sender, processId);
      return opened;
    } catch (error) {
      connection.drop();
      throw error;
    }
  }

  /** Rejects when one of its connections is gone. Never resolves. */
  get lost(): Promise<never> {
    return Promise.race([this.connection.lost, this.sender.lost]);
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
    await this.connection.query('SELECT pg_notify(c, p) FROM unnest($1::text[], $2::text[]) AS t (c, p)', [
      [...numbersFor.keys()].map(ownChannel),
      [...numbersFor.values()].map((numbers) => `${this.processId}:${numbers.join()}`),
    ]);
  }

  /** Removes the process from the list of live ones, and closes the connection. */
  async close(): Promise<void> {
    const removed = this.connection.query('DELETE FROM api_process WHERE id = $1', [this.processId]);
    try {
      await Promise.race([removed, this.lost]);
      await Promise.all([this.connection.close(), this.sender.close()]);
    } finally {
      this.drop();
    }
  }

  /** Closes the connection without notifying the other side, which may be gone. */
  drop(): void {
    this.connection.drop();
    this.sender.drop();
  }

  private async sendHeartbeat(heartbeat: number): Promise<void> {
    await this.sender.query(
      `WITH alive AS (
         INSERT INTO api_process (id, seen_at) VALUES ($1, clock_timestamp())
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
       ), gone AS (DELETE FROM api_process WHERE seen_at < now() - interval '1 minute' AND id <> $1)
       SELECT pg_notify($2, $3)`,
      [this.processId, ownChannel(this.processId), `heartbeat:${heartbeat}`],
    );
  }

  private receiveOwn(payload: string, handlers: ChangeHandlers): void {
    const [from = '', numbers = ''] = payload.split(':');
    if (from === 'heartbeat') this.onHeartbeat?.(Number(numbers));
    else handlers.acknowledged(from, numbers.split(',').map(Number));
  }
}
