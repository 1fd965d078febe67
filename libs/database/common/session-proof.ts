import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentPatience } from './late-database';
import { PostgresClient } from './postgres-client';

/** Longer than a notification takes, and a statement on an idle connection. */
const TIMEOUT_MS = 2_000;

/** A pooler runs the statements of one connection in several sessions of the server. */
class SharedSessionError extends Error {
  constructor(problem: string) {
    super(
      `Connections do not have separate sessions: ${problem}. With PgBouncer set pool_mode = session, or connect to PostgreSQL directly: docs/operations.md, "Connections to PostgreSQL".`,
    );
    this.name = 'SharedSessionError';
  }
}

/** Names could not be stored, or would be stored unchecked. */
class EncodingError extends Error {
  constructor(encoding: string) {
    super(
      `Its encoding is ${encoding}, and only UTF8 can hold every name. Make another one: CREATE DATABASE greenroom ENCODING 'UTF8' TEMPLATE template0.`,
    );
    this.name = 'EncodingError';
  }
}

/**
 * Proves that a database is in UTF-8, and that a connection keeps one session of the server with its settings while others are used, and receives the
 * notifications of others. Revocations and the queues depend on both.
 *
 * @throws Error that names the variable and says what is wrong and what to do; its cause is the driver's error when the database
 *   cannot be reached
 */
export async function proveSession(databaseUrl: string, variable = 'DATABASE_URL'): Promise<void> {
  const [first, second] = [connectionTo(databaseUrl), connectionTo(databaseUrl)];
  try {
    await Promise.all([first.connect(), second.connect()]);
    await prove(first, second);
  } catch (cause) {
    throw new Error(`The database of ${variable} cannot be used: ${describe(cause as Error)}`, { cause });
  } finally {
    await Promise.allSettled([first.end(), second.end()]);
  }
}

/** SQLSTATE of a server that has as many connections as it allows. */
const TOO_MANY = '53300';

function describe({ message, code }: Error & { code?: string }): string {
  if (code !== TOO_MANY) return message;
  return `it has no connection left (${message}). Set max_connections of PostgreSQL to more than all apis and workers open, or run fewer: docs/operations.md, "Connections to PostgreSQL"`;
}

function connectionTo(connectionString: string): PostgresClient {
  return new PostgresClient({
    connectionString,
    application_name: 'greenroom-session-proof',
    query_timeout: TIMEOUT_MS,
  });
}

async function prove(first: PostgresClient, second: PostgresClient): Promise<void> {
  const { rows } = await first.query<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  );
  if (rows[0]!.encoding !== 'UTF8') throw new EncodingError(rows[0]!.encoding);
  const channel = `greenroom_proof_${randomUUID()}`;
  const received = new Promise<boolean>((resolve) => first.once('notification', () => resolve(true)));
  await first.query(`LISTEN "${channel}"`);
  const before = await sessionOf(first);
  // Until its end a transaction has a session to itself, in every mode of every pooler.
  await second.query('BEGIN');
  const other = await sessionOf(second);
  const after = await sessionOf(first).catch((error: Error) => {
    throw new SharedSessionError(`a statement waits for another connection's transaction (${error.message})`);
  });
  await second.query(`NOTIFY "${channel}"`);
  await second.query('COMMIT');
  if (before.pid === other.pid || before.pid !== after.pid)
    throw new SharedSessionError('its statements ran in different ones');
  if (after.searchPath !== 'public')
    throw new SharedSessionError(`its search_path is "${after.searchPath}", and "public" was set`);
  if (!(await Promise.race([received, sleep(TIMEOUT_MS * currentPatience(), false, { ref: false })])))
    throw new SharedSessionError('a notification of another connection did not arrive');
}

async function sessionOf(client: PostgresClient): Promise<{ pid: number; searchPath: string }> {
  const { rows } = await client.query<{ pid: number; searchPath: string }>(
    `SELECT pg_backend_pid() AS pid, current_setting('search_path') AS "searchPath"`,
  );
  return rows[0]!;
}
