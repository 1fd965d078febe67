import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PostgresClient } from './postgres-client';
import { compareMigrations } from '../schema/schema-state';

const NEW_CONNECTION_MS = 5_000;
const PROBE_MS = 2_000;

/** Locks nothing, and is refused as every other write by a server that takes none. */
const AS_IF_TO_WRITE = 'SELECT FROM outbox WHERE false FOR UPDATE';

/** Opens a new connection to a server that takes writes, and ends it. @throws why that failed */
async function probeConnection(connectionString: string): Promise<void> {
  const client = new PostgresClient({
    connectionString,
    application_name: 'greenroom-readiness',
    query_timeout: PROBE_MS,
  });
  try {
    await client.connect();
    await client.query(AS_IF_TO_WRITE);
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
   * Whether the server does what requests need: it takes writes and, checked at most once in 5 s, new connections. A server that
   * is shutting down serves those that are open.
   *
   * @throws the driver's error, which says why not
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

  async readClock(): Promise<Date> {
    const [row] = await this.dataSource.query<{ now: Date }[]>('SELECT clock_timestamp() AS now');
    return row!.now;
  }
}
