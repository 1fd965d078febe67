import { isUuid } from '@app/domain/common/uuid';
import type { WebhookEventType } from '@app/domain/webhooks/webhook-event';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { WebhookEndpoint } from './webhook-endpoint.entity';

type NewWebhookEndpoint = Pick<
  WebhookEndpoint,
  'id' | 'accountId' | 'name' | 'url' | 'events' | 'sealedSecret' | 'secretLastFour'
> &
  Partial<Pick<WebhookEndpoint, 'managedBy'>>;

/** What a change may set. */
export type WebhookEndpointPatch = Partial<
  Omit<WebhookEndpoint, 'id' | 'accountId' | 'version' | 'createdAt'>
>;

/** Endpoints that do not accept their events, or were switched off for that. */
export interface FailingReceivers {
  endpoints: number;
  /** When the first of them failed; null without any. */
  since: Date | null;
  /** Whose they are, as many as are named. */
  accounts: { id: string; name: string }[];
}

/** One of them, and what it has not accepted. */
export interface FailingReceiver {
  id: string;
  name: string;
  url: string;
  accountId: string;
  accountName: string;
  isEnabled: boolean;
  since: Date;
  lastError: string | null;
  waiting: number;
  nextAttemptAt: Date | null;
  failed: number;
}

const ACCOUNTS_NAMED = 10;
const MAX_RECEIVERS = 50;

const IS_FAILING = 'webhook_fails(e.disabled_reason, e.disabled_at, e.failing_since)';

@Injectable()
export class WebhookEndpointRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insert(endpoint: NewWebhookEndpoint, em: EntityManager): Promise<void> {
    await em.insert(WebhookEndpoint, endpoint);
  }

  async getFailing(): Promise<FailingReceivers> {
    const [failing] = await this.dataSource.query<FailingReceivers[]>(
      `WITH failing AS (
         SELECT e.account_id, count(*) AS endpoints, min(coalesce(e.failing_since, e.disabled_at)) AS since FROM webhook_endpoint e
         WHERE ${IS_FAILING} GROUP BY 1
       )
       SELECT coalesce(sum(endpoints), 0)::int AS endpoints, min(since) AS since,
         (SELECT coalesce(json_agg(json_build_object('id', n.id, 'name', n.name) ORDER BY n.since), '[]')
          FROM (SELECT a.id, a.name, f.since FROM failing f JOIN account a ON a.id = f.account_id AND a.status = 'active'
                ORDER BY f.since LIMIT $1) n) AS accounts
       FROM failing JOIN account ON account.id = failing.account_id AND account.status = 'active'`,
      [ACCOUNTS_NAMED],
    );
    return failing!;
  }

  /** The endpoints that fail, of accounts that are active, those that failed first, at most 50. */
  async listFailing(): Promise<FailingReceiver[]> {
    return this.dataSource.query(
      `SELECT e.id, e.name, e.url, a.id AS "accountId", a.name AS "accountName", e.disabled_at IS NULL AS "isEnabled",
         coalesce(e.failing_since, e.disabled_at) AS since, e.last_error AS "lastError", d.*
       FROM webhook_endpoint e JOIN account a ON a.id = e.account_id AND a.status = 'active', LATERAL (
         SELECT count(*) FILTER (WHERE state = 'pending')::int AS waiting, count(*) FILTER (WHERE state = 'failed')::int AS failed,
           min(due_at) FILTER (WHERE state = 'pending') AS "nextAttemptAt"
         FROM webhook_delivery WHERE endpoint_id = e.id AND state <> 'delivered') d
       WHERE ${IS_FAILING} ORDER BY since, e.id LIMIT $1`,
      [MAX_RECEIVERS],
    );
  }

  /** Whose an endpoint is; null for an unknown one, and texts that are not ids. */
  async findAccount(id: string): Promise<string | null> {
    if (!isUuid(id)) return null;
    const endpoint = await this.dataSource.manager.findOneBy(WebhookEndpoint, { id });
    return endpoint?.accountId ?? null;
  }

  /** An account's endpoints, oldest first. */
  async list(accountId: string, em: EntityManager = this.dataSource.manager): Promise<WebhookEndpoint[]> {
    return em.find(WebhookEndpoint, { where: { accountId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** An endpoint of this account; null for an unknown one, another account's, and texts that are not ids. */
  async findOwned(
    id: string,
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<WebhookEndpoint | null> {
    return isUuid(id) && isUuid(accountId) ? em.findOneBy(WebhookEndpoint, { id, accountId }) : null;
  }

  /** The same, its row locked until the transaction ends. */
  async lockOwned(id: string, accountId: string, em: EntityManager): Promise<WebhookEndpoint | null> {
    if (!isUuid(id) || !isUuid(accountId)) return null;
    return em.findOne(WebhookEndpoint, { where: { id, accountId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Changes an endpoint and counts the change. */
  async update(id: string, patch: WebhookEndpointPatch, em: EntityManager): Promise<void> {
    await em
      .createQueryBuilder()
      .update(WebhookEndpoint)
      .set({ ...patch, version: () => 'version + 1', updatedAt: () => 'now()' })
      .where('id = :id', { id })
      .execute();
  }

  /** Deletes an endpoint with everything that was sent to it. */
  async delete(id: string, em: EntityManager): Promise<void> {
    // Its deliveries go with it.
    await em.query(
      `UPDATE alert_message m SET state = 'cancelled' FROM webhook_delivery d
       WHERE d.endpoint_id = $1 AND d.state = 'pending' AND m.delivery_id = d.id`,
      [id],
    );
    await em.delete(WebhookEndpoint, { id });
  }

  /** Which of these accounts have an endpoint that subscribes to a type of event. */
  async listSubscribed(accountIds: string[], type: WebhookEventType, em: EntityManager): Promise<string[]> {
    const rows = await em.query<{ account_id: string }[]>(
      `SELECT DISTINCT e.account_id FROM webhook_endpoint e
       WHERE e.account_id = ANY ($1) AND e.disabled_at IS NULL AND $2 = ANY (e.events)`,
      [accountIds, type],
    );
    return rows.map((row) => row.account_id);
  }

  /** Notes that an endpoint accepted something. Writes only what is news, for a busy endpoint is one row. */
  async markSucceeded(id: string, em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE webhook_endpoint SET last_success_at = now(), failing_since = NULL, last_error = NULL
       WHERE id = $1 AND (failing_since IS NOT NULL OR last_success_at IS NULL
         OR last_success_at < now() - interval '1 minute')`,
      [id],
    );
  }

  /** Notes that an attempt failed; for how long none has succeeded, in seconds. */
  async markFailed(id: string, error: string, em: EntityManager): Promise<number> {
    const [rows] = await em.query<[{ secs: number }[], number]>(
      `UPDATE webhook_endpoint SET failing_since = coalesce(failing_since, now()), last_error = $2 WHERE id = $1
       RETURNING extract(epoch FROM now() - failing_since)::float8 AS secs`,
      [id, error],
    );
    return rows[0]?.secs ?? 0;
  }

  /** Disables an endpoint that accepted nothing for too long, or says that it is gone. */
  async disable(id: string, reason: 'failing' | 'gone', em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE webhook_endpoint SET disabled_at = now(), disabled_reason = $2, version = version + 1, updated_at = now()
       WHERE id = $1 AND disabled_at IS NULL`,
      [id, reason],
    );
  }
}
