import type { AuditAction } from '@app/domain/audit/audit-actions';
import type { WebhookDeliveryState } from '@app/database/deliveries/webhook-delivery.entity';
import type { FailingReceiver } from '@app/database/webhooks/webhook-endpoint.repository';
import type { WebhookEndpoint } from '@app/database/webhooks/webhook-endpoint.entity';
import {
  WebhookDeliveryRepository,
  type DeliveryDay,
  type DeliveryFilter,
  type DeliveryWithAttempts,
  type ListedDelivery,
} from '@app/database/deliveries/webhook-delivery.repository';
import type { UtcDays } from '@app/domain/common/utc-days';
import { DomainError } from '@app/domain/errors';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { readPage, toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { WebhooksService, type WebhookTarget } from '@app/administration/webhooks/webhooks.service';

/** Deliveries of one replay: what a queue takes at once. Repeat the request to replay the rest. */
const MAX_REPLAYED = 1_000;

/** Which deliveries of an endpoint; `from` as ISO 8601. */
interface DeliverySelection {
  state?: WebhookDeliveryState;
  event?: string;
  from?: string;
}

type DeliverySearch = PageQuery & DeliverySelection;

/** Who does something with which endpoint, and why; its version does not matter. */
type EndpointRequest = Omit<WebhookTarget, 'expected'>;
type ByStaff = Pick<EndpointRequest, 'actor' | 'reason'>;

const NOT_BY_FAILURES = 'This webhook was not disabled because it failed: an account manager enables it.';

/** What was sent to an endpoint, and sending it again. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly events: WebhookEvents,
  ) {}

  /** What became of the events for an account, by day. */
  async countByDay(accountId: string, days: UtcDays): Promise<DeliveryDay[]> {
    await this.webhooks.list(accountId);
    return this.deliveries.countByDay(accountId, new Date(days.from));
  }

  async list(accountId: string, webhookId: string, query: DeliverySearch): Promise<Page<ListedDelivery>> {
    const { id: endpointId } = await this.webhooks.get(accountId, webhookId);
    const filter = toFilter(endpointId, query);
    const list: ListIdentity = { name: 'webhook-deliveries', filter: { ...filter } };
    const { limit, after } = readPage(query, list, 1);
    const beforeId = after && readId(after[0]);
    const [rows, total] = await Promise.all([
      this.deliveries.list(filter, { beforeId, limit: limit + 1 }),
      this.deliveries.count(filter),
    ]);
    return toPage(rows, limit, list, total, ({ id }) => [id]);
  }

  async get(accountId: string, webhookId: string, deliveryId: string): Promise<DeliveryWithAttempts> {
    const { id: endpointId } = await this.webhooks.get(accountId, webhookId);
    return this.find(endpointId, deliveryId);
  }

  /** Sends one delivery again, whether it was accepted or not. */
  async replay(input: EndpointRequest, deliveryId: string): Promise<DeliveryWithAttempts> {
    await this.change(input, 'webhook.delivery_replayed', async ({ id: endpointId }, em) => {
      // 404 for an unknown one; after that, one that was not restarted is on its way already.
      await this.find(endpointId, deliveryId, em);
      const due = await this.deliveries.restart({ endpointId }, { ids: [deliveryId], limit: 1 }, em);
      if (due.length === 0) throw new DomainError('status_unchanged', { status: 'on its way' });
      await this.events.dispatch(due, 0, em);
      return { delivery_id: deliveryId };
    });
    return this.get(input.accountId, input.webhookId, deliveryId);
  }

  /** Sends every delivery again that matches, failed ones unless the query names another state, oldest first. */
  async replayMany(
    input: EndpointRequest,
    selection: DeliverySelection,
  ): Promise<{ replayed: number; left: number }> {
    const filter = toFilter(input.webhookId, { ...selection, state: selection.state ?? 'failed' });
    const replayed = await this.restart(input, filter, selection);
    return { replayed, left: await this.deliveries.count(filter) };
  }

  async listFailingReceivers(): Promise<FailingReceiver[]> {
    return this.webhooks.listFailing();
  }

  /** Sends all that an endpoint has not accepted again, also what waits for its next attempt; how many. */
  async resend(webhookId: string, action: ByStaff): Promise<number> {
    const accountId = await this.webhooks.requireAccount(webhookId);
    const filter = { endpointId: webhookId, isOpen: true };
    return this.restart({ ...action, accountId, webhookId }, filter, {});
  }

  /**
   * Enables an endpoint that was disabled because it failed, and does the same.
   *
   * @throws DomainError `forbidden` when the customer or staff have disabled it
   */
  async enable(webhookId: string, action: ByStaff): Promise<number> {
    const accountId = await this.webhooks.requireAccount(webhookId);
    const { disabledReason, version } = await this.webhooks.get(accountId, webhookId);
    if (disabledReason === 'staff' || disabledReason === 'customer')
      throw new DomainError('forbidden', { reason: NOT_BY_FAILURES });
    await this.webhooks.edit({ ...action, accountId, webhookId, expected: [version] }, { enabled: true });
    return this.resend(webhookId, action);
  }

  private async restart(input: EndpointRequest, filter: DeliveryFilter, selection: object): Promise<number> {
    let replayed = 0;
    await this.change(input, 'webhook.deliveries_replayed', async (_endpoint, em) => {
      const due = await this.deliveries.restart(filter, { limit: MAX_REPLAYED }, em);
      await this.events.dispatch(due, 0, em);
      replayed = due.length;
      return { ...selection, replayed };
    });
    return replayed;
  }

  /** Sends a test event to an endpoint. */
  async test(input: EndpointRequest): Promise<DeliveryWithAttempts> {
    let deliveryId = '';
    await this.change(input, 'webhook.tested', async (endpoint, em) => {
      deliveryId = await this.events.test(endpoint, em);
      return { delivery_id: deliveryId };
    });
    return this.get(input.accountId, input.webhookId, deliveryId);
  }

  private async find(
    endpointId: string,
    deliveryId: string,
    em?: EntityManager,
  ): Promise<DeliveryWithAttempts> {
    const found = isDeliveryId(deliveryId)
      ? await this.deliveries.findWithAttempts(deliveryId, endpointId, em)
      : null;
    if (!found) throw deliveryNotFound(deliveryId);
    return found;
  }

  /** Does something with an enabled endpoint; `work` returns what the audit log says of it. */
  private async change(
    input: EndpointRequest,
    action: AuditAction,
    work: (endpoint: WebhookEndpoint, em: EntityManager) => Promise<object>,
  ): Promise<void> {
    await this.webhooks.act(input, async (endpoint, em) => {
      if (endpoint.disabledAt) throw new DomainError('webhook_disabled');
      return { action, after: await work(endpoint, em) };
    });
  }
}

function deliveryNotFound(deliveryId: string): DomainError {
  return new DomainError('webhook_delivery_not_found', { deliveryId: deliveryId.slice(0, 100) });
}

/** Within PostgreSQL's bigint. */
function isDeliveryId(text: unknown): text is string {
  return typeof text === 'string' && /^[1-9]\d{0,17}$/.test(text);
}

function readId(part: unknown): string {
  if (isDeliveryId(part)) return part;
  throw new DomainError('invalid_cursor', { reason: 'it is damaged' }, { param: 'cursor' });
}

function toFilter(endpointId: string, { state, event, from }: DeliverySelection): DeliveryFilter {
  return { endpointId, state, eventType: event, from: from === undefined ? undefined : new Date(from) };
}
