import { AppConfig } from '@app/config/app-config';
import { RepeatedWarnings } from '@app/connections/repeated-warnings';
import type { FollowedCell } from '@app/domain/common/backend-check';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { listSubscriptions } from './cells/report-state';
import { isStatementTimeout } from './common/statement-timeout';
import { dataSourceOptions } from './data-source';

const POOL_SIZE = 5;
/** How long a replica that has failed is not used. */
const REST_MS = 10_000;
const LAG = `SELECT CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
  ELSE coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0)::float8 END AS lag`;

/**
 * Where lists and searches for staff, and the audit log of an account, are read: from the database of DATABASE_READ_URL when
 * it is configured and responds, else from the primary. That is a replica, or a reporting database that follows several cells
 * and has some of their tables. What is read may be as old as it is behind.
 */
@Injectable()
export class ListReader implements OnApplicationShutdown {
  private readonly logger = new Logger(ListReader.name);
  private readonly warnings = new RepeatedWarnings((message) => this.logger.warn(message));
  private readonly replica: DataSource | null;
  private connecting: Promise<unknown> | null = null;
  private restsUntil = 0;
  /** Whether the replica is a reporting database; null before it has responded. */
  private isReport: boolean | null = null;

  constructor(
    @InjectDataSource() private readonly primary: DataSource,
    { databaseReadUrl }: AppConfig,
  ) {
    this.replica = databaseReadUrl === undefined ? null : newReplica(databaseReadUrl, 'greenroom-api-lists');
  }

  /** Runs a read, a second time on the primary when the replica could not do it. */
  async read<T>(list: (em: EntityManager) => Promise<T>): Promise<T> {
    if (this.replica === null || Date.now() < this.restsUntil) return list(this.primary.manager);
    try {
      await this.connect(this.replica);
      return await list(this.replica.manager);
    } catch (error) {
      // It would not be faster on the primary, which has other work.
      if (isStatementTimeout(error)) throw error;
      this.restsUntil = Date.now() + REST_MS;
      this.warnings.warn(`Lists are read from the primary: the replica fails: ${(error as Error).message}`);
      return list(this.primary.manager);
    }
  }

  /** Runs a read of tables that a reporting database does not have: as `read`, but never there. */
  async readOfCell<T>(list: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.read((em) => list(this.isReport ? this.primary.manager : em));
  }

  /**
   * Runs a read in a reporting database, for all cells, and beside it on the primary what that database does not have.
   *
   * @returns what both have read; the second is null without a reporting database, when the first has read everything
   */
  async readBoth<A, B>(
    ofAll: (em: EntityManager) => Promise<A>,
    ofCell: (em: EntityManager) => Promise<B>,
  ): Promise<[A, B | null]> {
    return this.read((em) => {
      const isBoth = this.isReport && em !== this.primary.manager;
      return Promise.all([ofAll(em), isBoth ? ofCell(this.primary.manager) : null]);
    });
  }

  /**
   * Seconds that the replica is behind: since the last transaction that it has replayed, 0 when it has all that it received. Of a
   * reporting database, since the last message of the cell that has sent none for the longest. Null without a replica, or while it
   * does not respond; infinite while a cell is not followed.
   */
  async getLagSecs(): Promise<number | null> {
    if (this.replica === null || Date.now() < this.restsUntil) return null;
    try {
      await this.connect(this.replica);
      if (this.isReport) return longestSilence(await listSubscriptions(this.replica));
      const [row] = await this.replica.query<{ lag: number }[]>(LAG);
      return row!.lag;
    } catch {
      return null;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connecting?.catch(() => undefined);
    if (this.replica?.isInitialized) await this.replica.destroy();
  }

  private async connect(replica: DataSource): Promise<void> {
    if (this.isReport !== null) return;
    this.connecting ??= this.initialize(replica).finally(() => (this.connecting = null));
    await this.connecting;
  }

  private async initialize(replica: DataSource): Promise<void> {
    if (!replica.isInitialized) await replica.initialize();
    this.isReport = (await listSubscriptions(replica)).length > 0;
  }
}

function longestSilence(subscriptions: FollowedCell[]): number {
  return Math.max(...subscriptions.map(({ silentSecs }) => silentSecs ?? Infinity));
}

/** A replica of the database, not connected yet. */
export function newReplica(url: string, applicationName: string): DataSource {
  return new DataSource(dataSourceOptions(url, { applicationName, poolSize: POOL_SIZE }));
}
