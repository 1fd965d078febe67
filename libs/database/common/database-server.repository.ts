import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { TLSSocket } from 'node:tls';
import { DataSource } from 'typeorm';
import { PostgresClient } from './postgres-client';
import { compareMigrations } from '../schema/schema-state';

const NEW_CONNECTION_MS = 5_000;
const PROBE_MS = 2_000;

/** Locks nothing, and is refused as every other write by a server that takes none. */
const AS_IF_TO_WRITE = 'SELECT FROM outbox WHERE false FOR UPDATE';

/** Writes some 4 MB to a temporary file beside the tables, which is gone at its end. Nothing reads them, and no table changes. */
const WRITE_TO_DISK = `SET work_mem = '64kB'; SET temp_tablespaces = ''; SELECT count(*) FROM generate_series(1, 150000)`;

/** SQLSTATEs of a write that a disk refuses: full, a failure, read-only, a quota (which has none). */
const DISK_ERRORS = new Set(['53100', '58030', '42501', 'XX000']);

/** The disk of the database takes no writes, while the server responds. */
export class DatabaseDiskError extends Error {
  constructor(cause: Error) {
    super(
      `The disk of the database takes no writes (${cause.message}), so that nothing can be stored. Free space where PostgreSQL has its data ("What fills the disk" in docs/operations.md), enlarge it, or mount it for writing again.`,
      { cause },
    );
    this.name = 'DatabaseDiskError';
  }
}

/** Whether the disk takes what a request would store. A role that may write no temporary files says nothing about it. */
async function probeDisk(client: PostgresClient): Promise<void> {
  try {
    await client.query(WRITE_TO_DISK);
  } catch (error) {
    const cause = error as Error & { code?: string };
    if (DISK_ERRORS.has(cause.code ?? '')) throw new DatabaseDiskError(cause);
    if (cause.code !== TEMPORARY_FILES_LIMITED) throw error;
  }
}

/** SQLSTATE of `temp_file_limit`. */
const TEMPORARY_FILES_LIMITED = '53400';

/** Opens a new connection to a server that takes writes, writes to its disk, and ends the connection. @throws why that failed */
async function probeConnection(connectionString: string): Promise<void> {
  const client = new PostgresClient({
    connectionString,
    application_name: 'greenroom-readiness',
    query_timeout: PROBE_MS,
  });
  try {
    await client.connect();
    await client.query(AS_IF_TO_WRITE);
    await probeDisk(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The database server itself. */
@Injectable()
export class DatabaseServerRepository {
  private isMigrated = false;
  private connectedAtMs = -Infinity;
  private connecting: Promise<void> | null = null;

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Whether the server does what requests need: it takes writes and, checked at most once in 5 s, new connections, and its disk has
   * room. A server that is shutting down serves those that are open.
   *
   * @throws DatabaseDiskError; else the driver's error, which says why not
   */
  async requireWritable(): Promise<void> {
    await this.dataSource.query(AS_IF_TO_WRITE);
    if (performance.now() - this.connectedAtMs > NEW_CONNECTION_MS) this.connecting ??= this.connectAgain();
    await this.connecting;
  }

  /** One attempt for all who wait for it. */
  private async connectAgain(): Promise<void> {
    try {
      await probeConnection(String((this.dataSource.options as { url?: string }).url));
      this.connectedAtMs = performance.now();
    } finally {
      this.connecting = null;
    }
  }

  /**
   * Whether the schema is that of this release, or newer. It is looked at until it is: it does not become older.
   *
   * @throws Error naming the migrations that are missing; the driver's error when the server does not respond
   */
  async requireMigrated(): Promise<void> {
    if (this.isMigrated) return;
    const { missing } = await compareMigrations(this.dataSource);
    if (missing.length > 0) throw new Error(`Not applied: ${missing.join(', ')}. Run "greenroom migrate".`);
    this.isMigrated = true;
  }

  /** The server's version, and whether it takes no writes. */
  async describe(): Promise<{ version: string; isReadOnly: boolean }> {
    const [row] = await this.dataSource.query<{ version: string; isReadOnly: boolean }[]>(
      `SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
    );
    return row!;
  }

  /** The values of settings of the server by their names. */
  async readSettings<T extends string>(names: readonly T[]): Promise<Record<T, string>> {
    const [row] = await this.dataSource.query<[{ values: Record<T, string> }]>(
      'SELECT json_object_agg(name, current_setting(name)) AS values FROM unnest($1::text[]) name',
      [names],
    );
    return row.values;
  }

  /** How many connections are open to the whole server, and how many applications may open. */
  async countConnections(): Promise<{ used: number; allowed: number }> {
    const [row] = await this.dataSource.query<[{ used: number; allowed: number }]>(
      `SELECT sum(numbackends)::int AS used,
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS allowed
       FROM pg_stat_database`,
    );
    return row;
  }

  /** When the certificate ends with which the server encrypts; null where nothing is encrypted. */
  async readCertificateEnd(): Promise<Date | null> {
    const connectionString = String((this.dataSource.options as { url?: string }).url);
    const client = new PostgresClient({ connectionString, application_name: 'greenroom-doctor' });
    try {
      await client.connect();
      const { stream } = client.connection;
      return stream instanceof TLSSocket ? new Date(stream.getPeerCertificate().valid_to) : null;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async readClock(): Promise<Date> {
    const [row] = await this.dataSource.query<{ now: Date }[]>('SELECT clock_timestamp() AS now');
    return row!.now;
  }
}
