import type { WebhookEndpoint } from '@app/database/webhooks/webhook-endpoint.entity';
import { withSchema } from '@app/domain/common/field-checks';
import type { WebhookEventType } from '@app/domain/webhooks/webhook-event';
import { WEBHOOK_URL_MAX } from '@app/domain/webhooks/webhook-url';
import { BooleanField, CheckedField, checkObject, EnumField, StringField } from '../http/fields';
import { checkFlag } from '../http/query-checks';
import { checkEvents, WEBHOOK_NAME } from '@app/administration/webhooks/webhook-checks';

const MAYBE = { optional: true, nullable: true };

const checkNoHeaders = withSchema({ type: 'object', maxProperties: 0 }, (value) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
    ? []
    : refusal(
        'Input should be an empty object or left out: deliveries are signed, and carry no headers of your own',
      ),
);

const checkRetries = withSchema({ const: true }, (value) =>
  value === true
    ? []
    : refusal('Input should be true or left out: deliveries that fail are always tried again'),
);

const refusal = (msg: string) => [{ type: 'not_offered', msg }];

export class WebhookListQuery {
  /** Without effect: no product here has a separate webhook. */
  @CheckedField(checkFlag, { optional: true })
  include_usages: string = 'false';
}

export class WebhookSettingsBody {
  @EnumField(['hmac'])
  auth_type: 'hmac';

  @StringField(WEBHOOK_NAME)
  name: string;

  @StringField({ min: 1, max: WEBHOOK_URL_MAX })
  webhook_url: string;

  @CheckedField(checkNoHeaders, MAYBE)
  request_headers?: unknown;
}

export class CreateAccountWebhookBody {
  @CheckedField(checkObject(WebhookSettingsBody))
  settings: WebhookSettingsBody;
}

export class EditAccountWebhookBody {
  @BooleanField()
  is_disabled: boolean;

  @StringField(WEBHOOK_NAME)
  name: string;

  @CheckedField(checkRetries, MAYBE)
  retry_enabled?: unknown;

  @CheckedField(checkNoHeaders, MAYBE)
  request_headers?: unknown;

  /** All that the webhook receives from now on; left out, they stay as they are. */
  @CheckedField(checkEvents, MAYBE)
  events?: WebhookEventType[] | null;
}

export interface AccountWebhookResponse extends ReturnType<typeof toAccountWebhookResponse> {}

export function toAccountWebhookResponse(endpoint: WebhookEndpoint) {
  return {
    webhook_id: endpoint.id,
    name: endpoint.name,
    webhook_url: endpoint.url,
    is_disabled: endpoint.disabledAt !== null,
    /** Disabled because it accepted nothing for a day. */
    is_auto_disabled: endpoint.disabledReason === 'failing' || endpoint.disabledReason === 'gone',
    created_at_unix: Math.floor(endpoint.createdAt.getTime() / 1_000),
    auth_type: 'hmac' as const,
    events: endpoint.events,
  };
}
