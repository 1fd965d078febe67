import { WebhookQuotaRepository } from '@app/database/webhooks/webhook-quota.repository';
import { QUOTA_THRESHOLDS } from '@app/domain/webhooks/webhook-event';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Round } from '../loop';

/** Sees which accounts and keys have used up a share of their credits, so that charging need not. */
@Injectable()
export class QuotaWatch {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly quotas: WebhookQuotaRepository,
    private readonly events: WebhookEvents,
  ) {}

  /** Publishes every threshold that was reached since the last look. Several workers publish each once. */
  async look(): Promise<Round> {
    await this.dataSource.transaction(async (em) => {
      const reached = await this.quotas.noteReached(QUOTA_THRESHOLDS, em);
      if (reached.length > 0) await this.events.quotaReached(reached, em);
    });
    return 'idle';
  }
}
