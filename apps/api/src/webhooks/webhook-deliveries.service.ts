import type { WebhookEndpoint } from '@app/database/webhooks/webhook-endpoint.entity';
import {
  WebhookDeliveryRepository,
  type DeliveryFilter,
} from '@app/database/webhooks/webhook-delivery.repository';
import { DomainError } from '@app/domain/errors';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { byStaff } from '@app/administration/audit/audit-actors';
import { readPage, toPage, type ListIdentity, type Page } from '../http/pagination';
import type { Staff } from '@app/domain/staff/staff';
import {
  toDeliveryResponse,
  toDeliveryDetail,
  type DeliveryResponse,
  type DeliveryDetailResponse,
  type DeliveryQuery,
  type ReplayBody,
} from './webhook.dto';
import { WebhooksService } from './webhooks.service';

/** Deliveries of one replay: what a queue takes at once. Repeat the request to replay the rest. */
const MAX_REPLAYED = 1_000;

/** What was sent to an endpoint, and sending it again. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly events: WebhookEvents,
    private readonly changes: AuditedChanges,
  ) {}

  async list(accountId: string, webhookId: string, query: DeliveryQuery): Promise<Page<DeliveryResponse>> {
    const { id: endpointId } = await this.webhooks.get(accountId, webhookId);
    const filter: DeliveryFilter = { endpointId, ...toSelection(query) };
    const list: ListIdentity = { name: 'webhook-deliveries', filter: { ...filter } };
    const { limit, after } = readPage(query, list, 1);
    const beforeId = after && readId(after[0]);
    const [rows, total] = await Promise.all([
      this.deliveries.list(filter, { beforeId, limit: limit + 1 }),
      this.deliveries.count(filter),
    ]);
    const page = toPage(rows, limit, list, total, ({ id }) => [id]);
    return { ...page, items: page.items.map(toDeliveryResponse) };
  }

  async get(accountId: string, webhookId: string, deliveryId: string): Promise<DeliveryDetailResponse> {
    const { id: endpointId } = await this.webhooks.get(accountId, webhookId);
    const found = isDeliveryId(deliveryId)
      ? await this.deliveries.findWithAttempts(deliveryId, endpointId)
      : null;
    if (!found) throw deliveryNotFound(deliveryId);
    return toDeliveryDetail(found.delivery, found.attempts);
  }

  /** Sends one delivery again, whether it was accepted or not. */
  async replay(
    staff: Staff,
    { accountId, webhookId, deliveryId }: { accountId: string; webhookId: string; deliveryId: string },
    reason: string,
  ): Promise<DeliveryDetailResponse> {
    const endpoint = await this.getEnabled(accountId, webhookId);
    // 404 for an unknown one; after that, one that is pending is on its way already.
    await this.get(accountId, webhookId, deliveryId);
    await this.change(staff, endpoint, 'webhook.delivery_replayed', reason, async (em) => {
      const filter = { endpointId: endpoint.id };
      const due = await this.deliveries.restart(filter, { ids: [deliveryId], limit: 1 }, em);
      if (due.length === 0) throw new DomainError('status_unchanged', { status: 'on its way' });
      await this.events.dispatch(due, 0, em);
      return { delivery_id: deliveryId };
    });
    return this.get(accountId, webhookId, deliveryId);
  }

  /** Sends every delivery again that matches, failed ones unless the query names another state, oldest first. */
  async replayMany(
    staff: Staff,
    { accountId, webhookId }: { accountId: string; webhookId: string },
    { reason, ...selection }: ReplayBody,
  ): Promise<{ replayed: number; left: number }> {
    const endpoint = await this.getEnabled(accountId, webhookId);
    const filter = {
      endpointId: endpoint.id,
      ...toSelection({ ...selection, state: selection.state ?? 'failed' }),
    };
    let replayed = 0;
    await this.change(staff, endpoint, 'webhook.deliveries_replayed', reason, async (em) => {
      const due = await this.deliveries.restart(filter, { limit: MAX_REPLAYED }, em);
      await this.events.dispatch(due, 0, em);
      replayed = due.length;
      return { ...selection, replayed };
    });
    return { replayed, left: await this.deliveries.count(filter) };
  }

  /** Sends a test event to an endpoint. */
  async test(
    staff: Staff,
    accountId: string,
    webhookId: string,
    reason: string,
  ): Promise<DeliveryDetailResponse> {
    const endpoint = await this.getEnabled(accountId, webhookId);
    let deliveryId = '';
    await this.change(staff, endpoint, 'webhook.tested', reason, async (em) => {
      deliveryId = await this.events.test(endpoint, em);
      return { delivery_id: deliveryId };
    });
    return this.get(accountId, webhookId, deliveryId);
  }

  private async getEnabled(accountId: string, webhookId: string): Promise<WebhookEndpoint> {
    const endpoint = await this.webhooks.get(accountId, webhookId);
    if (endpoint.disabledAt) throw new DomainError('webhook_disabled');
    return endpoint;
  }

  private async change(
    staff: Staff,
    endpoint: WebhookEndpoint,
    action: string,
    reason: string,
    work: (em: EntityManager) => Promise<object>,
  ): Promise<void> {
    await this.changes.make<void>(async (em) => {
      await this.webhooks.hold(endpoint, em);
      const after = await work(em);
      const target = { type: 'webhook', id: endpoint.id, accountId: endpoint.accountId };
      return { result: undefined, events: [{ actor: byStaff(staff), action, target, after, reason }] };
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

function toSelection({ state, event, from }: Pick<DeliveryQuery, 'state' | 'event' | 'from'>) {
  return { state, eventType: event, from: from === undefined ? undefined : new Date(from) };
}
