import { AppConfig } from '@app/config/app-config';
import { AlertMessageRepository } from '@app/database/deliveries/alert-message.repository';
import { AuditCursorRepository } from '@app/database/audit/audit-cursor.repository';
import type { UsageCursor } from '@app/database/credits/usage-cursor.entity';
import { UsageCursorRepository } from '@app/database/credits/usage-cursor.repository';
import { WebhookDeliveryRepository } from '@app/database/deliveries/webhook-delivery.repository';
import type { Metrics, Sample } from '@app/telemetry/metrics';
import { Injectable } from '@nestjs/common';
import { AlertDeliveryService } from './alert-delivery.service';
import { WebhookDeliveryService } from './webhook-delivery.service';

const NO_STREAM = { waiting: 0, failingSince: null };

/** What a worker reports of what it sends to others: webhooks, e-mails, messages to chats, and the stream of the audit log. */
@Injectable()
export class DeliveryMetrics {
  constructor(
    private readonly webhooks: WebhookDeliveryService,
    private readonly alerts: AlertDeliveryService,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly messages: AlertMessageRepository,
    private readonly cursor: AuditCursorRepository,
    private readonly usage: UsageCursorRepository,
    private readonly config: AppConfig,
  ) {}

  describe(metrics: Metrics): void {
    metrics.counter(
      'greenroom_deliveries_total',
      'Attempts to deliver webhooks, e-mails and messages to chats in this process, by outcome.',
      () => this.readOutcomes(),
    );
    metrics.gauge(
      'greenroom_delivery_overdue_seconds',
      'How long the delivery that was due first has been waiting for its attempt, 0 without any.',
      () => this.readOverdue(),
    );
    metrics.gauge(
      'greenroom_audit_stream_waiting',
      'Events of the audit log that the stream has not delivered, 10,001 for more than 10,000.',
      async () => [{ value: (await this.readStream()).waiting }],
    );
    metrics.gauge(
      'greenroom_audit_stream_failing_seconds',
      'How long the stream of the audit log has been failing, 0 while it does not.',
      async () => [{ value: secsSince((await this.readStream()).failingSince) }],
    );
    metrics.gauge(
      'greenroom_usage_sink_lag_seconds',
      'How long the next line of the ledger has been waiting for a usage sink, 0 without any.',
      () => this.readSinks(async ({ lineId }) => secsSince(await this.usage.findWaitingSince(lineId))),
    );
    metrics.gauge(
      'greenroom_usage_sink_failing_seconds',
      'How long a usage sink has been failing, 0 while it does not.',
      () => this.readSinks(({ failingSince }) => secsSince(failingSince)),
    );
  }

  private async readSinks(secsOf: (cursor: UsageCursor) => Promise<number> | number): Promise<Sample[]> {
    return Promise.all(
      this.config.usageSinks.map(async ({ name: sink }) => ({
        labels: { sink },
        value: await secsOf(await this.usage.get(sink)),
      })),
    );
  }

  private async readStream() {
    return this.config.auditStreamUrl === undefined ? NO_STREAM : this.cursor.getLag();
  }

  private readOutcomes(): Sample[] {
    const channels = { webhook: this.webhooks.outcomes, ...this.alerts.outcomes };
    return Object.entries(channels).flatMap(([channel, outcomes]) =>
      [...new Set(['delivered', ...outcomes.keys()])].map((outcome) => ({
        labels: { channel, outcome },
        value: (outcomes as ReadonlyMap<string, number>).get(outcome) ?? 0,
      })),
    );
  }

  private async readOverdue(): Promise<Sample[]> {
    const webhook = { channel: 'webhook', secs: await this.deliveries.getOverdueSecs() };
    const all = [webhook, ...(await this.messages.listOverdueSecs())];
    return all.map(({ channel, secs }) => ({ labels: { channel }, value: secs }));
  }
}

function secsSince(time: Date | null): number {
  return time === null ? 0 : Math.max(0, (Date.now() - time.getTime()) / 1_000);
}
