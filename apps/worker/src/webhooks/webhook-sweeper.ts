import {
  WebhookDeliveryRepository,
  type DueDelivery,
} from '@app/database/webhooks/webhook-delivery.repository';
import { JobProducer } from '@app/queue/job-producer';
import { DELIVER_WEBHOOK } from '@app/queue/jobs';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ended, joined, type Round } from '../loop';
import { sweepLostJobs } from '../sweep-lost-jobs';

/** Longer than a request may take and a killed worker's job may wait. */
const IDLE_SECS = 60;
const KEPT_DAYS = 30;
const BATCH = 200;

/** Finds deliveries whose job was lost on the way and enqueues another; deletes those that ended long ago. */
@Injectable()
export class WebhookSweeper {
  private readonly logger = new Logger(WebhookSweeper.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly events: WebhookEvents,
    private readonly jobs: JobProducer,
  ) {}

  /** Sweeps one batch, and deletes one. */
  async sweep(idleSecs = IDLE_SECS): Promise<Round> {
    const swept = await sweepLostJobs(this.jobs, {
      name: DELIVER_WEBHOOK,
      batch: BATCH,
      listOverdue: () => this.deliveries.listOverdue(idleSecs, BATCH),
      touch: (waiting) => this.deliveries.touch(waiting.map(({ deliveryId }) => deliveryId)),
      recover: (lost) => this.recover(lost, idleSecs),
    });
    const deleted = await this.deliveries.deleteOld(KEPT_DAYS, BATCH);
    return joined([swept, ended(deleted === BATCH ? 'more' : 'idle', { 'old webhook': deleted })]);
  }

  /** False when another process has touched the delivery meanwhile. */
  private async recover(due: DueDelivery, idleSecs: number): Promise<boolean> {
    return this.dataSource.transaction(async (em) => {
      if ((await this.deliveries.lockOverdue(due, idleSecs, em)) === null) return false;
      const next = await this.deliveries.postpone(due.deliveryId, 0, em);
      await this.events.dispatch([next], 0, em);
      this.logger.warn('Webhook sent again: its job was lost', { ...next });
      return true;
    });
  }
}
