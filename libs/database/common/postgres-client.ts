import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { connectInTime } from './connect-in-time';
import { currentPatience } from './late-database';
import { inListeningTime } from './listening-time';
import { ServerChoice } from './server-choice';

const READ_TIMEOUT = 'Query read timeout';
/** SQLSTATE of a statement that writes, on a server or in a transaction that is read-only. */
const READ_ONLY = '25006';

/** For a server that does not accept a connection; shorter than a pool waits for one that is in use. */
const CONNECT_MS = 2_000;
/** More than closing takes. */
const CLOSE_MS = 500;

/** Settings of a session by their names in PostgreSQL. */
export type SessionSettings = Record<string, string>;

/**
 * What our statements and the driver depend on, regardless of the defaults of the server, the database, the role or the URL.
 * Time limits in milliseconds; 0 is none.
 */
const SESSION: SessionSettings = {
  search_path: 'public',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  // Pools keep connections that are not in use, and one listens.
  idle_session_timeout: '0',
};

/** As TypeORM begins a transaction, and what PostgreSQL responds. */
const BEGIN = 'START TRANSACTION';
const BEGUN = { command: 'START', rowCount: null, oid: 0, fields: [], rows: [] };

const SET_SESSION = 'SELECT set_config(key, value, false) FROM json_each_text($1)';

export interface PostgresClientConfig extends ClientConfig {
  /** Settings of the session that differ from those of every other. */
  session?: SessionSettings;
}

/**
 * Every connection to PostgreSQL: it connects within 2 s or not at all (`connectInTime`), has the session settings that we depend
 * on, and closes when no response arrives within `query_timeout`, of which only the time counts in which this process listens
 * (`inListeningTime`).
 *
 * The settings are a statement, not parameters of the startup: those a pooler may ignore, and `options` in a URL replaces ours.
 *
 * The driver would fail a query without a response and leave it at the head of the connection's queue. Over a connection that is
 * half-open, after a failover or a firewall that has dropped it, each next user of the pool would wait in vain as well.
 */
export class PostgresClient extends Client {
  private readonly session: SessionSettings;
  private readonly choice: ServerChoice | null;
  /** For a response, in milliseconds; 0 is without a limit. */
  private readonly responseMs: number;
  /** While a process starts, limits may be longer. */
  private readonly patience = currentPatience();

  constructor(config: PostgresClientConfig) {
    const { options: _, statement_timeout, idle_in_transaction_session_timeout, session, ...others } = config;
    super({ ...others, connectionTimeoutMillis: 0, query_timeout: 0 });
    this.responseMs = (config.query_timeout ?? 0) * this.patience;
    // What waits for the connection or a query gets the error. A pool listens only from the end of `connect` on: a connection
    // that is cut before that would end the process.
    this.on('error', () => undefined);
    this.choice = ServerChoice.of(config.connectionString);
    this.session = {
      ...SESSION,
      statement_timeout: String(statement_timeout || 0),
      idle_in_transaction_session_timeout: String(idle_in_transaction_session_timeout ?? 0),
      ...session,
    };
  }

  // The driver's overloads: with a callback, as its pools use it, or with a promise.
  override connect = ((done?: (error?: Error) => void): unknown => {
    const connected = this.connectAndSet();
    if (!done) return connected;
    return void connected.then(() => done(), done);
  }) as Client['connect'];

  // The driver's overloads: with a callback, as its pools use it, or with a promise. The arguments are passed on.
  override query = ((...args: [string, ...unknown[]]): unknown => {
    const done = args.at(-1);
    if (typeof done === 'function') {
      const response = this.query(...(args.slice(0, -1) as [string]));
      return void response.then(
        (result) => done(undefined, result),
        (error) => done(error),
      );
    }
    const result: unknown = super.query(...(args as [string]));
    // A cursor, which is read in steps.
    if (!(result instanceof Promise)) return result;
    const response = this.responseOf(result);
    return this.pipeline && args[0] === BEGIN ? this.begin(response) : response;
  }) as Client['query'];

  private async responseOf(result: Promise<unknown>): Promise<unknown> {
    try {
      if (this.responseMs === 0) return await result;
      return await inListeningTime(result, this.responseMs, () => {
        throw new Error(READ_TIMEOUT);
      });
    } catch (error) {
      const { message, code } = error as Error & { code?: string };
      // A server that no longer takes writes was the primary before a failover: the next connection finds the new one.
      if (message === READ_TIMEOUT || code === READ_ONLY) await this.disconnect(error as Error);
      throw error;
    }
  }

  private async connectAndSet(): Promise<this> {
    if (this.choice) Object.assign(this, await this.choice.get());
    try {
      await connectInTime(this, () => super.connect(), CONNECT_MS * this.patience);
      await this.query(SET_SESSION, [JSON.stringify(this.session)]);
    } catch (error) {
      this.choice?.invalidate();
      // A pool does not end what it could not connect.
      void super.end().catch(() => undefined);
      throw error;
    }
    return this;
  }

  /**
   * Does not wait for the response: the first statement of a transaction goes with its beginning, in one trip. After a beginning
   * that fails, each statement would be committed alone, so the connection ends.
   */
  private async begin(response: Promise<unknown>): Promise<typeof BEGUN> {
    response.catch((error: Error) => this.connection.stream.destroy(error));
    return BEGUN;
  }

  /** Returns when it is known to be closed, for until then the pool would hand it to the next. */
  private async disconnect(cause: Error): Promise<void> {
    this.choice?.invalidate();
    const ended = new Promise((resolve) => this.once('end', resolve));
    this.connection.stream.destroy(cause);
    // It may be known already.
    await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
  }
}
