import { TRAFFIC_KEPT_DAYS } from '@app/domain/traffic/traffic';
import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

const EVERY_MS = 10 * 60_000;
const BATCH = 5_000;

/** Deletes observed traffic that is too old. Every api process runs it; one at a time does it. */
@Injectable()
export class TrafficRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(TrafficRetention.name);
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly traffic: ObservedTrafficRepository) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.tidy(), EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }

  private async tidy(): Promise<void> {
    try {
      while ((await this.traffic.deleteOld(TRAFFIC_KEPT_DAYS, BATCH)) >= BATCH);
    } catch (error) {
      this.logger.error(`Old traffic cannot be deleted: ${(error as Error).message}`);
    }
  }
}
