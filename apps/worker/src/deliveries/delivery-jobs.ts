import { DueDeliveryRepository, type DueTable } from '@app/database/deliveries/due-delivery.repository';
import { JobProducer } from '@app/queue/job-producer';
import type { JobPayload, SEND_ALERT_CHAT, SEND_ALERT_EMAIL, DELIVER_WEBHOOK } from '@app/queue/jobs';
import { OutboxRepository } from '@app/queue/outbox.repository';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ended, type Round } from '../loop';
import { sweepLostJobs } from '../sweep-lost-jobs';

type DeliveryJob = typeof DELIVER_WEBHOOK | typeof SEND_ALERT_EMAIL | typeof SEND_ALERT_CHAT;

/** A job that sends, and the table of what it sends. */
export interface DeliveryKind<N extends DeliveryJob> {
  job: N;
  table: DueTable<JobPayload<N>>;
}

/** Longer than an attempt may take and a killed worker's job may wait. */
export const IDLE_SECS = 60;
export const BATCH = 200;

/** What webhooks, e-mails and messages to chats have in common on their way out. */
@Injectable()
export class DeliveryJobs {
  private readonly logger = new Logger(DeliveryJobs.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly due: DueDeliveryRepository,
    private readonly outbox: OutboxRepository,
    private readonly jobs: JobProducer,
  ) {}

  /** Writes down what became of a delivery; `skipped` when another job has taken it over, or it has ended. */
  async write<N extends DeliveryJob, O>(
    { table }: DeliveryKind<N>,
    due: JobPayload<N>,
    work: (em: EntityManager, ageSecs: number) => Promise<O>,
  ): Promise<O | 'skipped'> {
    return this.dataSource.transaction(async (em) => {
      const ageSecs = await this.due.lockClaimed(table, due, em);
      return ageSecs === null ? 'skipped' : work(em, ageSecs);
    });
  }

  /** Puts a delivery off until its receiver and account have a slot. Not an attempt: nothing was sent. */
  async postpone<N extends DeliveryJob>(
    kind: DeliveryKind<N>,
    due: JobPayload<N>,
    delaySecs: number,
  ): Promise<'postponed' | 'skipped'> {
    return this.write(kind, due, async (em) => {
      await this.sendAgain(kind, due, delaySecs * (1 + Math.random()), em);
      return 'postponed' as const;
    });
  }

  /** Enqueues another job, due after `delaySecs`. */
  async sendAgain<N extends DeliveryJob>(
    { job, table }: DeliveryKind<N>,
    due: JobPayload<N>,
    delaySecs: number,
    em: EntityManager,
  ): Promise<JobPayload<N>> {
    const next = await this.due.postpone(table, due, delaySecs, em);
    await this.outbox.enqueueAll(job, [next], delaySecs, em);
    return next;
  }

  /** Finds one batch of deliveries whose job was lost on the way and enqueues another for each. */
  async sweep<N extends DeliveryJob>(kind: DeliveryKind<N>, idleSecs: number): Promise<Round> {
    return sweepLostJobs(this.jobs, {
      name: kind.job,
      batch: BATCH,
      listOverdue: () => this.due.listOverdue(kind.table, idleSecs, BATCH),
      touch: (waiting) => this.due.touch(kind.table, waiting),
      recover: (lost) => this.recover(kind, lost, idleSecs),
    });
  }

  /** Deletes one batch of those that ended more than `days` ago. */
  async deleteOld(table: Pick<DueTable<never>, 'name'>, days: number, what: string): Promise<Round> {
    const deleted = await this.due.deleteOld(table, days, BATCH);
    return ended(deleted === BATCH ? 'more' : 'idle', { [what]: deleted });
  }

  /** False when another process has touched the delivery meanwhile. */
  private async recover<N extends DeliveryJob>(
    kind: DeliveryKind<N>,
    due: JobPayload<N>,
    idleSecs: number,
  ): Promise<boolean> {
    return this.dataSource.transaction(async (em) => {
      if ((await this.due.lockOverdue(kind.table, due, idleSecs, em)) === null) return false;
      const next = await this.sendAgain(kind, due, 0, em);
      this.logger.warn('Sent again: its job was lost', { job: kind.job, ...next });
      return true;
    });
  }
}
