import type { ServiceAccount } from '@app/database/accounts/service-account.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { ServiceAccountRepository } from '@app/database/accounts/service-account.repository';
import { DomainError } from '@app/domain/errors';
import { isPublicId, newPublicId } from '@app/domain/common/public-id';
import { MAX_SERVICE_ACCOUNTS } from '@app/domain/keys/service-account-limits';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import type { Caller } from '@app/domain/keys/caller';
import { byCaller } from '@app/administration/audit/audit-actors';
import type { AuditEntry } from '@app/administration/audit/audit-log';

/** A customer's service accounts. */
@Injectable()
export class ServiceAccountsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly accounts: AccountRepository,
    private readonly serviceAccounts: ServiceAccountRepository,
  ) {}

  /** The service accounts of the caller's account, oldest first. */
  async list({ key }: Caller): Promise<ServiceAccount[]> {
    return this.serviceAccounts.list(key.accountId);
  }

  async get({ key }: Caller, id: string, em?: EntityManager): Promise<ServiceAccount> {
    const found = isPublicId(id) ? await this.serviceAccounts.findOwned(id, key.accountId, em) : null;
    if (!found) throw new DomainError('service_account_not_found', { serviceAccountId: id.slice(0, 100) });
    return found;
  }

  /** Adds a service account, if the tier allows one more. */
  async create(caller: Caller, name: string): Promise<ServiceAccount> {
    const { accountId } = caller.key;
    const { result } = await this.changes.make(async (em) => {
      const account = await this.accounts.lock(accountId, em);
      const used = await this.serviceAccounts.count(accountId, em);
      const limit = MAX_SERVICE_ACCOUNTS[account.tier];
      if (used >= limit) throw new DomainError('service_account_limit_reached', { used, limit });
      const created = { id: newPublicId(randomBytes), accountId, name, createdAt: new Date() };
      await this.serviceAccounts.insert(created, em);
      const event: AuditEntry = {
        actor: byCaller(caller),
        action: 'service_account.created',
        target: { type: 'service_account', id: created.id, accountId },
        after: { name },
      };
      return { result: created, events: [event] };
    });
    return result;
  }
}
