import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import { TRAFFIC_KEPT_DAYS } from '@app/domain/traffic/traffic';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ended, type Round } from '../loop';

const BATCH = 5_000;

/** Deletes observed traffic that is too old. */
@Injectable()
export class TrafficRetention {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly traffic: ObservedTrafficRepository,
  ) {}

  /** Deletes one batch. */
  async tidy(): Promise<Round> {
    const deleted = await this.dataSource.transaction((em) =>
      this.traffic.deleteOld(TRAFFIC_KEPT_DAYS, BATCH, em),
    );
    return ended(deleted >= BATCH ? 'more' : 'idle', { row: deleted });
  }
}
