import { WebhookEvents } from '@app/webhooks/webhook-events';
import { WebhookSecrets } from '@app/webhooks/webhook-secrets';
import { StaffWebhookDeliveriesController } from './staff-webhook-deliveries.controller';
import { StaffWebhooksController } from './staff-webhooks.controller';
import { WebhookDeliveriesService } from './webhook-deliveries.service';
import { WebhooksService } from './webhooks.service';

/** Webhooks, for the api's module. */
export const WEBHOOK_CONTROLLERS = [StaffWebhookDeliveriesController, StaffWebhooksController];
export const WEBHOOK_PROVIDERS = [WebhookDeliveriesService, WebhookEvents, WebhookSecrets, WebhooksService];
