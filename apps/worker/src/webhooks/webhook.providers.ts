import { WebhookEvents } from '@app/webhooks/webhook-events';
import { WebhookSecrets } from '@app/webhooks/webhook-secrets';
import { QuotaWatch } from './quota-watch';
import { WebhookDeliveryService } from './webhook-delivery.service';
import { WebhookSweeper } from './webhook-sweeper';
import { WebhookProcessor } from './webhook.processor';

/** Webhooks, for the worker's module. */
export const WEBHOOK_PROVIDERS = [
  QuotaWatch,
  WebhookDeliveryService,
  WebhookEvents,
  WebhookProcessor,
  WebhookSecrets,
  WebhookSweeper,
];
