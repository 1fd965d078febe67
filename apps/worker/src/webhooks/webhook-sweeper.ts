import {
  WebhookDeliveryRepository,
  type DueDelivery,
} from '@app/database/webhooks/webhook-delivery.repository';
import { JobProducer } from '@app/queue/job-producer';
import { DELIVER_WEBHOOK } from '@app/queue/jobs';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Loop, type Round } from '../loop';

const EVERY_MS = 20_000;
/** Longer than a request may take and a killed worker's job may wait. */
const IDLE_SECS = 60;
const KEPT_DAYS = 30;
const BATCH = 200;

/** Finds deliveries whose job was lost on the way and enqueues another; deletes those that ended long ago. */
@Injectable()
export class WebhookSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSweeper.name);
  private readonly loop = new Loop(WebhookSweeper.name, () => this.sweep(), EVERY_MS);

  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly events: WebhookEvents,
    private readonly jobs: JobProducer,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /**
   * Sweeps one batch.
   *
   * @throws when the queue cannot be read: a job that is not seen is not a job that is lost
   */
  async sweep(idleSecs = IDLE_SECS): Promise<Round> {
    const overdue = await this.deliveries.listOverdue(idleSecs, BATCH);
    const lost = await Promise.all(overdue.map((due) => this.jobs.isLost(DELIVER_WEBHOOK, due)));
    const waiting = overdue.filter((_, index) => !lost[index]);
    if (waiting.length > 0) await this.deliveries.touch(waiting.map(({ deliveryId }) => deliveryId));
    for (const due of overdue.filter((_, index) => lost[index])) {
      if (await this.recover(due)) await this.jobs.remove(DELIVER_WEBHOOK, due);
    }
    const deleted = await this.deliveries.deleteOld(KEPT_DAYS, BATCH);
    return overdue.length === BATCH || deleted === BATCH ? 'more' : 'idle';
  }

  /** False when another process has touched the delivery meanwhile. */
  private async recover(due: DueDelivery): Promise<boolean> {
    return this.deliveries.transaction(async (em) => {
      if ((await this.deliveries.lockClaimed(due, em)) === null) return false;
      const next = await this.deliveries.postpone(due.deliveryId, 0, em);
      await this.events.dispatch([next], 0, em);
      this.logger.warn('Webhook sent again: its job was lost', { ...next });
      return true;
    });
  }
}
