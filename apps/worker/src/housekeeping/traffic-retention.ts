import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import { TRAFFIC_KEPT_DAYS } from '@app/domain/traffic/traffic';
import { Injectable } from '@nestjs/common';
import type { Round } from '../loop';

const BATCH = 5_000;

/** Deletes observed traffic that is too old. */
@Injectable()
export class TrafficRetention {
  constructor(private readonly traffic: ObservedTrafficRepository) {}

  /** Deletes one batch. */
  async tidy(): Promise<Round> {
    return (await this.traffic.deleteOld(TRAFFIC_KEPT_DAYS, BATCH)) >= BATCH ? 'more' : 'idle';
  }
}
