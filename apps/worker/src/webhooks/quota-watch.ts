import { WebhookQuotaRepository } from '@app/database/webhooks/webhook-quota.repository';
import { QUOTA_THRESHOLDS } from '@app/domain/webhooks/webhook-event';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Loop, type Round } from '../loop';

const EVERY_MS = 2_000;

/** Sees which accounts and keys have used up a share of their credits, so that charging need not. */
@Injectable()
export class QuotaWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop = new Loop(QuotaWatch.name, () => this.look(), EVERY_MS);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly quotas: WebhookQuotaRepository,
    private readonly events: WebhookEvents,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Publishes every threshold that was reached since the last look. Several workers publish each once. */
  async look(): Promise<Round> {
    await this.dataSource.transaction(async (em) => {
      const reached = await this.quotas.noteReached(QUOTA_THRESHOLDS, em);
      if (reached.length > 0) await this.events.quotaReached(reached, em);
    });
    return 'idle';
  }
}
