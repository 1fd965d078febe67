import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** The database server itself. */
@Injectable()
export class DatabaseServerRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @throws the driver's error when the server does not respond */
  async ping(): Promise<void> {
    await this.dataSource.query('SELECT 1');
  }

  async readClock(): Promise<Date> {
    const [row] = await this.dataSource.query<{ now: Date }[]>('SELECT clock_timestamp() AS now');
    return row!.now;
  }
}
