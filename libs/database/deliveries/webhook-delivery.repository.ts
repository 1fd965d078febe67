import type { WebhookEvent } from '@app/domain/webhooks/webhook-event';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { WebhookAttempt } from './webhook-attempt.entity';
import { WebhookDelivery, type WebhookDeliveryState } from './webhook-delivery.entity';
import { Conditions } from '../common/conditions';
import type { DueTable } from './due-delivery.repository';

/** A delivery and the job that may send it. */
export interface DueDelivery {
  deliveryId: string;
  dispatch: number;
}

/** A delivery with what it delivers, and where. */
export interface NewDelivery extends DueDelivery {
  eventId: string;
  endpointId: string;
  endpointName: string;
}

/** What a sender must know. */
export interface ClaimedDelivery {
  accountId: string;
  endpointId: string;
  eventId: string;
  body: string;
  attempts: number;
  url: string;
  sealedSecret: string;
  /** Or its account is closed. */
  isDisabled: boolean;
}

export type NewAttempt = Pick<WebhookAttempt, 'status' | 'ms' | 'error' | 'answer'>;

/** A delivery without its body, with its last attempt if there was one. */
export type ListedDelivery = WebhookDelivery & { last: NewAttempt | null };

export interface DeliveryWithAttempts {
  delivery: WebhookDelivery;
  attempts: WebhookAttempt[];
}

export interface DeliveryDay {
  /** In UTC, as 2026-01-31: when the event happened. */
  day: string;
  state: WebhookDeliveryState;
  deliveries: number;
}

export interface DeliveryFilter {
  endpointId: string;
  state?: WebhookDeliveryState;
  /** Only what its endpoint has not accepted. */
  isOpen?: boolean;
  eventType?: string;
  /** Created then or later. */
  from?: Date;
}

/** Its endpoint is locked first: staff, who delete one or send its deliveries again, lock them in this order, too. */
export const DUE_WEBHOOKS: DueTable<DueDelivery> = {
  name: 'webhook_delivery',
  id: 'deliveryId',
  startedAt: 'started_at',
  lockFirst:
    'SELECT FROM webhook_endpoint WHERE id = (SELECT endpoint_id FROM webhook_delivery WHERE id = $1) FOR KEY SHARE',
};

/** An endpoint `e` that gets nothing: it is disabled, or its account is closed. */
const IS_OFF = `(e.disabled_at IS NOT NULL
  OR EXISTS (SELECT FROM account a WHERE a.id = e.account_id AND a.status = 'closed'))`;

@Injectable()
export class WebhookDeliveryRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** How long the delivery that was due first has been waiting, 0 without any. */
  async getOverdueSecs(): Promise<number> {
    const [row] = await this.dataSource.query<{ secs: number }[]>(
      `SELECT coalesce(greatest(0, extract(epoch FROM now() - min(due_at))), 0)::float8 AS secs
       FROM webhook_delivery WHERE state = 'pending'`,
    );
    return row!.secs;
  }

  /** Stores one delivery for each endpoint that subscribes to these events. */
  async insertForSubscribers(
    events: (WebhookEvent & { body: string })[],
    em: EntityManager,
  ): Promise<NewDelivery[]> {
    return em.query<NewDelivery[]>(
      `INSERT INTO webhook_delivery (endpoint_id, event_id, event_type, body)
       SELECT e.id, n.event_id, n.type, n.body
       FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) AS n (account_id, event_id, type, body)
       JOIN webhook_endpoint e ON e.account_id = n.account_id AND NOT ${IS_OFF} AND n.type = ANY (e.events)
       RETURNING id AS "deliveryId", dispatch, event_id AS "eventId", endpoint_id AS "endpointId",
         (SELECT o.name FROM webhook_endpoint o WHERE o.id = endpoint_id) AS "endpointName"`,
      [
        events.map((event) => event.accountId),
        events.map((event) => event.id),
        events.map((event) => event.type),
        events.map((event) => event.body),
      ],
    );
  }

  /** Stores a delivery to one endpoint, regardless of its subscriptions. */
  async insertFor(
    endpointId: string,
    event: WebhookEvent & { body: string },
    em: EntityManager,
  ): Promise<DueDelivery> {
    const [delivery] = await em.query<DueDelivery[]>(
      `INSERT INTO webhook_delivery (endpoint_id, event_id, event_type, body) VALUES ($1, $2, $3, $4)
       RETURNING id AS "deliveryId", dispatch`,
      [endpointId, event.id, event.type, event.body],
    );
    return delivery!;
  }

  /** Claims a delivery. Null when this job may not send it any more. */
  async claim(
    { deliveryId, dispatch }: DueDelivery,
    em: EntityManager = this.dataSource.manager,
  ): Promise<ClaimedDelivery | null> {
    const [rows] = await em.query<[ClaimedDelivery[], number]>(
      `UPDATE webhook_delivery d SET due_at = now() FROM webhook_endpoint e
       WHERE d.id = $1 AND d.dispatch = $2 AND d.state = 'pending' AND e.id = d.endpoint_id
       RETURNING e.account_id AS "accountId", d.endpoint_id AS "endpointId", d.event_id AS "eventId", d.body, e.url,
         e.sealed_secret AS "sealedSecret", ${IS_OFF} AS "isDisabled",
         (SELECT count(*)::int FROM webhook_attempt a WHERE a.delivery_id = d.id AND a.at >= d.started_at) AS attempts`,
      [deliveryId, dispatch],
    );
    return rows[0] ?? null;
  }

  /** Writes down an attempt. */
  async addAttempt(deliveryId: string, attempt: NewAttempt, em: EntityManager): Promise<void> {
    await em.insert(WebhookAttempt, { deliveryId, ...attempt });
    await em.query('UPDATE webhook_delivery SET attempts = attempts + 1 WHERE id = $1', [deliveryId]);
  }

  async markDone(deliveryId: string, state: 'delivered' | 'failed', em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE webhook_delivery SET state = $2, delivered_at = CASE WHEN $2 = 'delivered' THEN now() END WHERE id = $1`,
      [deliveryId, state],
    );
    await this.noteInMessages([deliveryId], em);
  }

  /** Writes the state of deliveries into the messages of the alert log that they carry, which are stored longer. */
  private async noteInMessages(deliveryIds: string[], em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE alert_message m SET state = d.state, delivered_at = d.delivered_at
       FROM webhook_delivery d WHERE d.id = ANY ($1::bigint[]) AND m.delivery_id = d.id`,
      [deliveryIds],
    );
  }

  /**
   * Starts deliveries of an endpoint again, delivered ones included, oldest first; what is under way is skipped, what waits for
   * its next attempt is not.
   *
   * @param ids only these
   */
  async restart(
    filter: DeliveryFilter,
    { ids, limit }: { ids?: string[]; limit: number },
    em: EntityManager,
  ): Promise<DueDelivery[]> {
    const where = conditionsOf(filter);
    where.ifPresent(ids, (value) => `d.id = ANY (${value}::bigint[])`);
    const [rows] = await em.query<[DueDelivery[], number]>(
      `UPDATE webhook_delivery SET state = 'pending', dispatch = dispatch + 1, due_at = now(), started_at = now(),
         delivered_at = NULL
       WHERE id IN (SELECT d.id FROM webhook_delivery d WHERE ${where.sql} AND (d.state <> 'pending' OR d.due_at > now())
                    ORDER BY d.id LIMIT ${where.value(limit)} FOR UPDATE)
       RETURNING id AS "deliveryId", dispatch`,
      where.values,
    );
    await this.noteInMessages(
      rows.map(({ deliveryId }) => deliveryId),
      em,
    );
    return rows;
  }

  /** One page of an endpoint's deliveries, newest first, without their bodies. */
  async list(
    filter: DeliveryFilter,
    { beforeId, limit }: { beforeId: string | null; limit: number },
  ): Promise<ListedDelivery[]> {
    const where = conditionsOf(filter);
    where.ifPresent(beforeId ?? undefined, (value) => `d.id < ${value}`);
    return this.dataSource.query(
      `SELECT d.id, d.event_id AS "eventId", d.event_type AS "eventType", d.state, d.attempts, d.due_at AS "dueAt",
         d.created_at AS "createdAt", d.delivered_at AS "deliveredAt", to_jsonb(a) AS last
       FROM webhook_delivery d LEFT JOIN LATERAL (
         SELECT a.status, a.ms, a.error, a.answer FROM webhook_attempt a
         WHERE a.delivery_id = d.id ORDER BY a.id DESC LIMIT 1) a ON true
       WHERE ${where.sql} ORDER BY d.id DESC LIMIT ${where.value(limit)}`,
      where.values,
    );
  }

  /** Deliveries to the endpoints of an account since a time, by day and state, oldest first. */
  async countByDay(accountId: string, since: Date): Promise<DeliveryDay[]> {
    return this.dataSource.query<DeliveryDay[]>(
      `SELECT to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, d.state, count(*)::int AS deliveries
       FROM webhook_endpoint e JOIN webhook_delivery d ON d.endpoint_id = e.id
       WHERE e.account_id = $1 AND d.created_at >= $2 GROUP BY 1, 2 ORDER BY 1, 2`,
      [accountId, since],
    );
  }

  async count(filter: DeliveryFilter): Promise<number> {
    const where = conditionsOf(filter);
    const [row] = await this.dataSource.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM webhook_delivery d WHERE ${where.sql}`,
      where.values,
    );
    return row!.total;
  }

  /** A delivery of this endpoint with its attempts, oldest first; null for an unknown one. */
  async findWithAttempts(
    id: string,
    endpointId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<DeliveryWithAttempts | null> {
    const delivery = await em.findOneBy(WebhookDelivery, { id, endpointId });
    if (!delivery) return null;
    const attempts = await em.find(WebhookAttempt, { where: { deliveryId: id }, order: { id: 'ASC' } });
    return { delivery, attempts };
  }
}

function conditionsOf({ endpointId, state, isOpen, eventType, from }: DeliveryFilter): Conditions {
  const where = new Conditions();
  where.ifPresent(endpointId, (value) => `d.endpoint_id = ${value}`);
  where.ifPresent(state, (value) => `d.state = ${value}`);
  where.ifPresent(isOpen, (value) => `(d.state <> 'delivered') = ${value}`);
  where.ifPresent(eventType, (value) => `d.event_type = ${value}`);
  where.ifPresent(from, (value) => `d.created_at >= ${value}`);
  return where;
}
