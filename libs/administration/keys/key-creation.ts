import type { Account } from '@app/database/accounts/account.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { listNotAvailable, mayPlaceAllowList } from '@app/domain/allow-lists/allow-list-entitlement';
import { DomainError } from '@app/domain/errors';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { MAX_KEYS_PER_SERVICE_ACCOUNT } from '@app/domain/keys/key-grants';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import type { ChangeWork } from '../audit/audited-changes';
import { ApiKeysService, requireFreeExternalId, type IssuedApiKey, type NewApiKey } from './api-keys.service';
import { PolicyRulesService } from './policy-rules.service';
import { auditTarget, requireOpen } from './key-locks';
import { auditable, settingsOf } from './key-settings';
import type { AuditEntry } from '../audit/audit-log';

/** What an account must permit before it has one key more. */
@Injectable()
export class KeyCreation {
  constructor(
    private readonly issuing: ApiKeysService,
    private readonly keys: ApiKeyRepository,
    private readonly accounts: AccountRepository,
    private readonly rules: PolicyRulesService,
    private readonly webhooks: WebhookEvents,
  ) {}

  /** Issues a key with its first secret. */
  creating(actor: AuditActor, requested: NewApiKey, reason: string | null): ChangeWork<IssuedApiKey> {
    return async (em) => {
      const account = await this.accounts.lock(requested.accountId, em);
      requireOpen(account);
      if (requested.allowedIps) requireListEntitlement(account);
      const input = await this.rules.completed(requested, account, new Date(), em);
      if (input.serviceAccountId) await this.requireRoom(input.serviceAccountId, em);
      const issued = await this.issuing.create(input, em);
      await this.webhooks.keyCreated(issued.key, em);
      const settings = settingsOf(issued.key, input.creditLimit ?? null);
      const { after } = auditable({ before: {}, after: settings });
      const { serviceAccountId, parentKeyIds, managedBy } = issued.key;
      const owner = {
        service_account_id: serviceAccountId,
        ...(parentKeyIds && { maker_ids: parentKeyIds }),
        ...(managedBy && { managed_by: managedBy }),
      };
      const target = auditTarget(issued.key);
      const event: AuditEntry = {
        actor,
        action: 'key.created',
        target,
        after: { ...after, ...owner },
        reason,
      };
      return { result: issued, events: [event] };
    };
  }

  /** What a deleted key needs to be restored: its external id is free, and its service account has room. */
  async requireRestorable(
    { serviceAccountId, externalId, ...key }: ApiKey,
    em: EntityManager,
  ): Promise<void> {
    if (serviceAccountId) await this.requireRoom(serviceAccountId, em);
    if (externalId) await requireFreeExternalId(this.keys, { ...key, externalId }, em);
  }

  /** The caller holds the lock of the account, which every new key of a service account takes first. */
  private async requireRoom(serviceAccountId: string, em: EntityManager): Promise<void> {
    const [used, limit] = [
      await this.keys.countOfServiceAccount(serviceAccountId, em),
      MAX_KEYS_PER_SERVICE_ACCOUNT,
    ];
    if (used >= limit) throw new DomainError('service_account_key_limit_reached', { used, limit });
  }
}

function requireListEntitlement(account: Account): void {
  if (!mayPlaceAllowList(account)) throw listNotAvailable(account, 'A new IP allow-list', 'allowed_ips');
}
