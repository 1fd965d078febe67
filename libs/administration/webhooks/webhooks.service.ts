import { AppConfig } from '@app/config/app-config';
import type { WebhookEndpoint } from '@app/database/webhooks/webhook-endpoint.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import {
  WebhookEndpointRepository,
  type FailingReceiver,
  type WebhookEndpointPatch,
} from '@app/database/webhooks/webhook-endpoint.repository';
import { DomainError } from '@app/domain/errors';
import type { WebhookEventType } from '@app/domain/webhooks/webhook-event';
import { checkedUrl } from '@app/webhooks/checked-url';
import { WebhookSecrets } from '@app/webhooks/webhook-secrets';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { refuseIfManaged } from '../audit/managed-by-file';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { changing, difference, type ChangeRequest, type Edit, type Locked } from '../audit/locked-change';
import type { AuditEntry } from '../audit/audit-log';

const MAX_ENDPOINTS = 10;

/** Which endpoint a change is about, and who makes it. */
export interface WebhookTarget extends ChangeRequest {
  accountId: string;
  webhookId: string;
}

export interface NewWebhook {
  name: string;
  url: string;
  events: WebhookEventType[];
}

export type WebhookEdit = Partial<NewWebhook> & { enabled?: boolean };

type WebhookPatch = WebhookEndpointPatch | 'delete';

/** Where an account receives events: every change audited in the same transaction. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly config: AppConfig,
    private readonly changes: AuditedChanges,
    private readonly accounts: AccountRepository,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly secrets: WebhookSecrets,
  ) {}

  async list(accountId: string): Promise<WebhookEndpoint[]> {
    await this.accounts.get(accountId);
    return this.endpoints.list(accountId);
  }

  async get(accountId: string, webhookId: string): Promise<WebhookEndpoint> {
    const endpoint = await this.endpoints.findOwned(webhookId, accountId);
    if (!endpoint) throw webhookNotFound(webhookId);
    return endpoint;
  }

  async listFailing(): Promise<FailingReceiver[]> {
    return this.endpoints.listFailing();
  }

  /** @throws DomainError `webhook_not_found` */
  async requireAccount(webhookId: string): Promise<string> {
    const accountId = await this.endpoints.findAccount(webhookId);
    if (accountId === null) throw webhookNotFound(webhookId);
    return accountId;
  }

  /** Adds an endpoint; its secret is not shown again. */
  async create(
    actor: AuditActor,
    accountId: string,
    { name, url: text, events }: NewWebhook,
    reason: string | null,
  ): Promise<{ id: string; secret: string }> {
    const input = { name, url: await this.checkUrl(text), events };
    return (await this.changes.make(this.creating(actor, accountId, input, reason))).result;
  }

  /** `create` as a part of a larger change, with a URL that `checkUrl` has accepted. */
  creating(
    actor: AuditActor,
    accountId: string,
    { name, url, events }: NewWebhook,
    reason: string | null,
    managedBy: string | null = null,
  ): ChangeWork<{ id: string; secret: string }> {
    const id = randomUUID();
    const { secret, ...stored } = this.secrets.issue(id);
    return async (em) => {
      await this.takePlace(accountId, em);
      const settings = { name, url, events: [...new Set(events)].sort() };
      await this.endpoints.insert({ id, accountId, ...settings, ...stored, managedBy }, em);
      const target = { type: 'webhook', id, accountId };
      const after = { ...settings, ...(managedBy && { managed_by: managedBy }) };
      const event: AuditEntry = { actor, action: 'webhook.created', target, after, reason };
      return { result: { id, secret }, events: [event] };
    };
  }

  /**
   * Changes settings of an endpoint. Enabling it resets how long it had failed. Customers can undo what they have done
   * themselves, not what staff have.
   */
  async edit(target: WebhookTarget, { enabled, ...requested }: WebhookEdit): Promise<void> {
    const url = requested.url === undefined ? undefined : await this.checkUrl(requested.url);
    await this.changes.make(this.editing(target, { ...requested, url, enabled }));
  }

  /** `edit` as a part of a larger change, with a URL that `checkUrl` has accepted. */
  editing(target: WebhookTarget, { enabled, url, ...requested }: WebhookEdit): ChangeWork {
    const events = requested.events && [...new Set(requested.events)].sort();
    return this.changing(target, async (endpoint) => {
      refuseIfManaged('webhook', endpoint, target.actor);
      const before = { ...settingsOf(endpoint), enabled: endpoint.disabledAt === null };
      const changed = difference(before, { name: requested.name, url, events, enabled });
      if (Object.keys(changed.after).length === 0) return null;
      const { enabled: switched, ...patch } = changed.after;
      if (switched === true) refuseToUndoStaff(endpoint, target.actor);
      return {
        patch: { ...patch, ...(switched !== undefined && switchTo(switched, target.actor)) },
        action: 'webhook.edited',
        ...changed,
      };
    });
  }

  /** Gives an endpoint a new secret. The old one is not used from now on; deliveries that are refused are tried again. */
  async rotateSecret(target: WebhookTarget): Promise<string> {
    const { secret, ...stored } = this.secrets.issue(target.webhookId);
    await this.change(target, async ({ secretLastFour }) => ({
      patch: stored,
      action: 'webhook.secret_rotated',
      before: { secret_hint: secretLastFour },
      after: { secret_hint: stored.secretLastFour },
    }));
    return secret;
  }

  /** Deletes an endpoint with its log; what was on its way is not sent any more. */
  async delete(target: WebhookTarget): Promise<void> {
    await this.changes.make(this.deleting(target));
  }

  /** `delete` as a part of a larger change. */
  deleting(target: WebhookTarget): ChangeWork {
    return this.changing(target, async (endpoint) => {
      refuseIfManaged('webhook', endpoint, target.actor);
      return { patch: 'delete', action: 'webhook.deleted', before: settingsOf(endpoint) };
    });
  }

  /** Puts an endpoint under the management of a file of keys, or releases it: null. */
  managing(target: WebhookTarget, file: string | null): ChangeWork {
    return this.changing(target, async ({ managedBy }) => {
      if (managedBy === file) return null;
      return {
        patch: { managedBy: file },
        action: file === null ? 'webhook.released' : 'webhook.managed',
        before: { managed_by: managedBy },
        after: { managed_by: file },
      };
    });
  }

  /** Does something with an endpoint, regardless of its version. */
  async act(
    request: Omit<WebhookTarget, 'expected'>,
    edit: (endpoint: WebhookEndpoint, em: EntityManager) => Promise<Edit<WebhookPatch>>,
  ): Promise<void> {
    await this.change({ ...request, expected: 'any' }, edit);
  }

  private changing(
    target: WebhookTarget,
    edit: (endpoint: WebhookEndpoint, em: EntityManager) => Promise<Edit<WebhookPatch> | null>,
  ): ChangeWork {
    return changing(target, (em) => this.lock(target, em), edit);
  }

  private async change(
    target: WebhookTarget,
    edit: (endpoint: WebhookEndpoint, em: EntityManager) => Promise<Edit<WebhookPatch> | null>,
  ): Promise<void> {
    await this.changes.make(this.changing(target, edit));
  }

  private async lock(
    { accountId, webhookId }: Pick<WebhookTarget, 'accountId' | 'webhookId'>,
    em: EntityManager,
  ): Promise<Locked<WebhookEndpoint, WebhookPatch>> {
    const endpoint = await this.endpoints.lockOwned(webhookId, accountId, em);
    if (!endpoint) throw webhookNotFound(webhookId);
    const { id } = endpoint;
    return {
      resource: endpoint,
      version: endpoint.version,
      auditTarget: { type: 'webhook', id, accountId: endpoint.accountId },
      save: (patch) =>
        patch === 'delete' ? this.endpoints.delete(id, em) : this.endpoints.update(id, patch, em),
    };
  }

  /** The URL as it is stored, when it may be posted to. */
  async checkUrl(text: string): Promise<string> {
    return checkedUrl(text, this.config.webhookPrivateNetworks === 'allow');
  }

  private async takePlace(accountId: string, em: EntityManager): Promise<void> {
    const account = await this.accounts.lock(accountId, em);
    if (account.status === 'closed') throw new DomainError('account_closed');
    const used = (await this.endpoints.list(accountId, em)).length;
    if (used >= MAX_ENDPOINTS) throw new DomainError('webhook_limit_reached', { used, limit: MAX_ENDPOINTS });
  }
}

function webhookNotFound(webhookId: string): DomainError {
  return new DomainError('webhook_not_found', { webhookId: webhookId.slice(0, 100) });
}

function settingsOf({ name, url, events }: WebhookEndpoint): NewWebhook {
  return { name, url, events };
}

function refuseToUndoStaff({ disabledReason }: WebhookEndpoint, { kind }: AuditActor): void {
  if (kind === 'customer' && disabledReason === 'staff')
    throw new DomainError('forbidden', { reason: 'Support has disabled this webhook, and can enable it.' });
}

function switchTo(enabled: boolean, { kind }: AuditActor): WebhookEndpointPatch {
  if (enabled) return { disabledAt: null, disabledReason: null, failingSince: null, lastError: null };
  return { disabledAt: new Date(), disabledReason: kind === 'customer' ? 'customer' : 'staff' };
}
