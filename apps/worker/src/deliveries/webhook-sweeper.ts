import { Injectable } from '@nestjs/common';
import { joined, type Round } from '../loop';
import { DeliveryJobs, IDLE_SECS } from './delivery-jobs';
import { WEBHOOKS } from './webhook-delivery.service';

const STORED_DAYS = 30;

/** Finds webhooks whose job was lost on the way and enqueues another; deletes those that ended long ago. */
@Injectable()
export class WebhookSweeper {
  constructor(private readonly jobs: DeliveryJobs) {}

  /** Sweeps one batch, and deletes one. */
  async sweep(idleSecs = IDLE_SECS): Promise<Round> {
    return joined([
      await this.jobs.sweep(WEBHOOKS, idleSecs),
      await this.jobs.deleteOld(WEBHOOKS.table, STORED_DAYS, 'old webhook'),
    ]);
  }
}
