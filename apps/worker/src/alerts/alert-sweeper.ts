import { AlertMessages } from '@app/alerts/alert-messages';
import { AlertMessageRepository, type DueMessage } from '@app/database/alerts/alert-message.repository';
import { AlertRepository } from '@app/database/alerts/alert.repository';
import { CONTACT_CHANNELS, type ContactChannel } from '@app/domain/alerts/alert-rule';
import { JobProducer } from '@app/queue/job-producer';
import { SEND_ALERT_CHAT, SEND_ALERT_EMAIL } from '@app/queue/jobs';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ended, joined, type Round } from '../loop';
import { sweepLostJobs } from '../sweep-lost-jobs';

/** Longer than an attempt may take and a killed worker's job may wait. */
const IDLE_SECS = 60;
/** Longer than any period in which an alert is sent once. */
const KEPT_DAYS = 400;
const BATCH = 200;

const JOBS = { email: SEND_ALERT_EMAIL, chat: SEND_ALERT_CHAT } as const;

/** Finds messages whose job was lost on the way and enqueues another; deletes what was told long ago. */
@Injectable()
export class AlertSweeper {
  private readonly logger = new Logger(AlertSweeper.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly messages: AlertMessageRepository,
    private readonly alerts: AlertRepository,
    private readonly sending: AlertMessages,
    private readonly jobs: JobProducer,
  ) {}

  /** Sweeps one batch of each channel, and deletes one. */
  async sweep(idleSecs = IDLE_SECS): Promise<Round> {
    const rounds: Round[] = [];
    for (const channel of CONTACT_CHANNELS) rounds.push(await this.sweepChannel(channel, idleSecs));
    const messages = await this.messages.deleteOld(KEPT_DAYS, BATCH);
    const alerts = await this.alerts.deleteOld(KEPT_DAYS, BATCH);
    const next = [messages, alerts].includes(BATCH) ? 'more' : 'idle';
    return joined([...rounds, ended(next, { 'old message': messages, 'old alert': alerts })]);
  }

  private async sweepChannel(channel: ContactChannel, idleSecs: number): Promise<Round> {
    return sweepLostJobs(this.jobs, {
      name: JOBS[channel],
      batch: BATCH,
      listOverdue: () => this.messages.listOverdue(channel, idleSecs, BATCH),
      touch: (waiting) => this.messages.touch(waiting.map(({ messageId }) => messageId)),
      recover: (lost) => this.recover(channel, lost, idleSecs),
    });
  }

  /** False when another process has touched the message meanwhile. */
  private async recover(channel: ContactChannel, due: DueMessage, idleSecs: number): Promise<boolean> {
    return this.dataSource.transaction(async (em) => {
      if ((await this.messages.lockOverdue(due, idleSecs, em)) === null) return false;
      const next = await this.messages.postpone(due.messageId, { delaySecs: 0, error: null }, em);
      await this.sending.dispatch(channel, [next], 0, em);
      this.logger.warn('Message sent again: its job was lost', { ...next });
      return true;
    });
  }
}
