import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { compareMigrations } from '../schema/schema-state';

/** The database server itself. */
@Injectable()
export class DatabaseServerRepository {
  private isMigrated = false;

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @throws the driver's error when the server does not respond */
  async ping(): Promise<void> {
    await this.dataSource.query('SELECT 1');
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
