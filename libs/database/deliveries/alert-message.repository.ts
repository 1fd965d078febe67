import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import { CONTACT_CHANNELS, type AlertChannel, type ContactChannel } from '@app/domain/alerts/alert-rule';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../common/conditions';
import type { DueTable } from './due-delivery.repository';

/** A message and the job that may send it. */
export interface DueMessage {
  messageId: string;
  dispatch: number;
}

export interface NewMessage {
  accountId: string | null;
  channel: ContactChannel;
  recipientId: string;
  recipient: string;
  kinds: AlertKind[];
  alertIds: string[];
  dueAt: Date;
  /** Nothing is added to it. */
  isClosed?: boolean;
}

/** What a webhook carries. */
export interface WebhookMessage {
  accountId: string;
  recipientId: string;
  recipient: string;
  kinds: AlertKind[];
  alertIds: string[];
  deliveryId: string;
}

/** What a sender must know. */
export interface ClaimedMessage {
  id: string;
  /** Null for one to staff. */
  accountId: string | null;
  recipientId: string;
  channel: ContactChannel;
  attempts: number;
  alerts: number;
  kinds: AlertKind[];
}

/** One alert of a message, with the names of what it is about. */
export interface NotifiedAlert {
  kind: AlertKind;
  threshold: number | null;
  accountId: string | null;
  accountName: string | null;
  keyId: string | null;
  keyName: string | null;
  data: Record<string, unknown>;
  at: Date;
}

export interface AlertMessageFilter {
  accountId?: string;
  kind?: AlertKind;
  channel?: AlertChannel;
  state?: AlertMessageState;
  from?: Date;
  to?: Date;
}

/** `cancelled`: the contact or the endpoint is gone, or has unsubscribed. */
export const ALERT_MESSAGE_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type AlertMessageState = (typeof ALERT_MESSAGE_STATES)[number];

/** A line of the log: what one recipient receives at once, one alert or a digest of many. */
export interface LoggedMessage {
  id: string;
  /** The account of the recipient; null for a contact of the installation. */
  accountId: string | null;
  accountName: string | null;
  channel: AlertChannel;
  /** The contact, or the webhook endpoint. */
  recipientId: string;
  /** E-mail address, or the name of a hook or endpoint, as it was. */
  recipient: string;
  kinds: AlertKind[];
  alerts: number;
  state: AlertMessageState;
  attempts: number;
  dueAt: Date;
  lastError: string | null;
  deliveredAt: Date | null;
  createdAt: Date;
  first: NotifiedAlert | null;
}

export interface MessagePosition {
  at: string;
  id: string;
}

/** The messages through each channel. */
export const DUE_MESSAGES = { email: dueThrough('email'), chat: dueThrough('chat') };

const NOTIFIED = `a.kind, a.threshold, a.account_id AS "accountId", n.name AS "accountName", a.key_id AS "keyId",
  k.name AS "keyName", a.data, a.at`;

const OF_MESSAGE = `FROM alert_message_alert ma JOIN alert a ON a.id = ma.alert_id
  LEFT JOIN account n ON n.id = a.account_id LEFT JOIN api_key k ON k.id = a.key_id`;

@Injectable()
export class AlertMessageRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** How long the message of each channel to a person that was due first has been waiting, 0 without any. */
  async listOverdueSecs(): Promise<{ channel: ContactChannel; secs: number }[]> {
    return this.dataSource.query(
      `SELECT c.channel, coalesce(greatest(0, extract(epoch FROM now() - min(m.due_at))), 0)::float8 AS secs
       FROM unnest($1::text[]) AS c (channel)
         LEFT JOIN alert_message m ON m.channel = c.channel AND m.state = 'pending' AND m.begun_at IS NULL
       GROUP BY c.channel`,
      [CONTACT_CHANNELS],
    );
  }

  /** Messages to these contacts to which more can be added, by contact; they stay open until the transaction ends. */
  async lockOpen(contactIds: string[], em: EntityManager): Promise<Map<string, string>> {
    const rows = await em.query<{ id: string; recipientId: string }[]>(
      `SELECT id, recipient_id AS "recipientId" FROM alert_message
       WHERE recipient_id = ANY ($1) AND state = 'pending' AND begun_at IS NULL ORDER BY recipient_id, id FOR UPDATE`,
      [contactIds],
    );
    return new Map(rows.map(({ id, recipientId }) => [recipientId, id]));
  }

  /** Adds alerts to an open message. */
  async append(id: string, kinds: AlertKind[], alertIds: string[], em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE alert_message SET alerts = alerts + $3,
         kinds = ARRAY(SELECT DISTINCT kind FROM unnest(kinds || $2::text[]) AS kind ORDER BY kind) WHERE id = $1`,
      [id, kinds, alertIds.length],
    );
    await this.attach(id, alertIds, em);
  }

  /** Stores a message with its alerts. */
  async insert(message: NewMessage, em: EntityManager): Promise<DueMessage> {
    const { alertIds } = message;
    const [row] = await em.query<DueMessage[]>(
      `INSERT INTO alert_message (account_id, channel, recipient_id, recipient, kinds, alerts, due_at, begun_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $8 THEN now() END) RETURNING id AS "messageId", dispatch`,
      [
        message.accountId,
        message.channel,
        message.recipientId,
        message.recipient,
        message.kinds,
        alertIds.length,
        message.dueAt,
        message.isClosed ?? false,
      ],
    );
    await this.attach(row!.messageId, alertIds, em);
    return row!;
  }

  /** Stores what webhooks carry: their deliveries have their own jobs. */
  async insertOfWebhooks(messages: WebhookMessage[], em: EntityManager): Promise<void> {
    if (messages.length === 0) return;
    const rows = await em.query<{ id: string; deliveryId: string }[]>(
      `INSERT INTO alert_message (account_id, channel, recipient_id, recipient, kinds, alerts, delivery_id, state, begun_at)
       SELECT account_id, 'webhook', recipient_id, recipient, string_to_array(kinds, ','), alerts, delivery_id, 'pending', now()
       FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::bigint[])
         AS m (account_id, recipient_id, recipient, kinds, alerts, delivery_id)
       RETURNING id, delivery_id AS "deliveryId"`,
      [
        messages.map(({ accountId }) => accountId),
        messages.map(({ recipientId }) => recipientId),
        messages.map(({ recipient }) => recipient),
        messages.map(({ kinds }) => kinds.join(',')),
        messages.map(({ alertIds }) => alertIds.length),
        messages.map(({ deliveryId }) => deliveryId),
      ],
    );
    const idOf = new Map(rows.map(({ id, deliveryId }) => [deliveryId, id]));
    const pairs = messages.flatMap(({ deliveryId, alertIds }) =>
      alertIds.map((alertId) => ({ messageId: idOf.get(deliveryId)!, alertId })),
    );
    await em.query(
      'INSERT INTO alert_message_alert (message_id, alert_id) SELECT * FROM unnest($1::bigint[], $2::bigint[])',
      [pairs.map(({ messageId }) => messageId), pairs.map(({ alertId }) => alertId)],
    );
  }

  private async attach(id: string, alertIds: string[], em: EntityManager): Promise<void> {
    await em.query(
      `INSERT INTO alert_message_alert (message_id, alert_id) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING`,
      [id, alertIds],
    );
  }

  /** Claims a message; nothing is added to it from now on. Null when this job may not send it any more. */
  async claim({ messageId, dispatch }: DueMessage): Promise<ClaimedMessage | null> {
    const [rows] = await this.dataSource.query<[ClaimedMessage[], number]>(
      `UPDATE alert_message SET due_at = now(), begun_at = coalesce(begun_at, now())
       WHERE id = $1 AND dispatch = $2 AND state = 'pending'
       RETURNING id, account_id AS "accountId", recipient_id AS "recipientId", channel, attempts, alerts, kinds`,
      [messageId, dispatch],
    );
    return rows[0] ?? null;
  }

  /** The first alerts of a message. */
  async listAlerts(messageId: string, limit: number): Promise<NotifiedAlert[]> {
    return this.dataSource.query<NotifiedAlert[]>(
      `SELECT ${NOTIFIED} ${OF_MESSAGE} WHERE ma.message_id = $1 ORDER BY a.kind, a.id LIMIT $2`,
      [messageId, limit],
    );
  }

  /** Ends a message. */
  async markDone(
    messageId: string,
    state: Exclude<AlertMessageState, 'pending'>,
    error: string | null,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `UPDATE alert_message SET state = $2, attempts = attempts + 1, last_error = $3,
         delivered_at = CASE WHEN $2 = 'delivered' THEN now() END WHERE id = $1`,
      [messageId, state, error],
    );
  }

  /** Notes a failed attempt. */
  async noteFailure(messageId: string, error: string, em: EntityManager): Promise<void> {
    await em.query('UPDATE alert_message SET attempts = attempts + 1, last_error = $2 WHERE id = $1', [
      messageId,
      error,
    ]);
  }

  /** One page of the log, newest first. */
  async list(
    filter: AlertMessageFilter,
    { after, limit }: { after: MessagePosition | null; limit: number },
    em: EntityManager,
  ): Promise<(LoggedMessage & { position: string })[]> {
    const where = conditionsOf(filter);
    if (after) {
      const [at, id] = [where.value(after.at), where.value(after.id)];
      where.add(`(m.created_at, m.id) < (${at}::timestamptz, ${id}::bigint)`);
    }
    return em.query(
      `SELECT m.id, m.account_id AS "accountId", m.channel, m.recipient_id AS "recipientId", m.recipient, m.kinds, m.alerts,
         m.state, m.attempts, m.due_at AS "dueAt", m.last_error AS "lastError",
         m.delivered_at AS "deliveredAt", m.created_at AS "createdAt", m.created_at::text AS position,
         o.name AS "accountName", to_jsonb(f) AS first
       FROM alert_message m LEFT JOIN account o ON o.id = m.account_id
       LEFT JOIN LATERAL (SELECT ${NOTIFIED} ${OF_MESSAGE} WHERE ma.message_id = m.id ORDER BY a.kind, a.id LIMIT 1) f ON true
       WHERE ${where.sql} ORDER BY m.created_at DESC, m.id DESC LIMIT ${where.value(limit)}`,
      where.values,
    );
  }

  async count(filter: AlertMessageFilter, em: EntityManager): Promise<number> {
    const where = conditionsOf(filter);
    const [row] = await em.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM alert_message m WHERE ${where.sql}`,
      where.values,
    );
    return row!.total;
  }
}

function dueThrough(channel: ContactChannel): DueTable<DueMessage> {
  const startedAt = 'coalesce(begun_at, created_at)';
  return { name: 'alert_message', id: 'messageId', startedAt, only: `channel = '${channel}'` };
}

function conditionsOf({ accountId, kind, channel, state, from, to }: AlertMessageFilter): Conditions {
  const where = new Conditions();
  where.ifPresent(accountId, (value) => `m.account_id = ${value}`);
  where.ifPresent(kind, (value) => `${value} = ANY (m.kinds)`);
  where.ifPresent(channel, (value) => `m.channel = ${value}`);
  where.ifPresent(state, (value) => `m.state = ${value}`);
  where.ifPresent(from, (value) => `m.created_at >= ${value}`);
  where.ifPresent(to, (value) => `m.created_at < ${value}`);
  return where;
}
