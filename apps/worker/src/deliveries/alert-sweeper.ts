import { AlertRepository } from '@app/database/alerts/alert.repository';
import { Injectable } from '@nestjs/common';
import { ended, joined, type Round } from '../loop';
import { MESSAGES } from './alert-delivery.service';
import { BATCH, DeliveryJobs, IDLE_SECS } from './delivery-jobs';

/** Longer than any period in which an alert is sent once. */
const STORED_DAYS = 400;

/** Finds messages whose job was lost on the way and enqueues another; deletes alerts and messages of long ago. */
@Injectable()
export class AlertSweeper {
  constructor(
    private readonly alerts: AlertRepository,
    private readonly jobs: DeliveryJobs,
  ) {}

  /** Sweeps one batch of each channel, and deletes one. */
  async sweep(idleSecs = IDLE_SECS): Promise<Round> {
    const swept = [
      await this.jobs.sweep(MESSAGES.email, idleSecs),
      await this.jobs.sweep(MESSAGES.chat, idleSecs),
      await this.jobs.deleteOld(MESSAGES.email.table, STORED_DAYS, 'old message'),
    ];
    const alerts = await this.alerts.deleteOld(STORED_DAYS, BATCH);
    return joined([...swept, ended(alerts === BATCH ? 'more' : 'idle', { 'old alert': alerts })]);
  }
}
