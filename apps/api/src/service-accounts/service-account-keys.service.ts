import { ApiKeySearchRepository } from '@app/database/keys/api-key-search.repository';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { ApiKeyChangesService, keyNotFound } from '@app/administration/keys/api-key-changes.service';
import type { IssuedApiKey, NewApiKey } from '@app/administration/keys/api-keys.service';
import type { Caller } from '@app/domain/keys/caller';
import { byCaller } from '@app/administration/audit/audit-actors';
import {
  ServiceAccountKeyChangesService,
  type CustomerKeyEdit,
  type KeyPath,
} from './service-account-key-changes.service';
import { ServiceAccountsService } from './service-accounts.service';

/** Customers' own keys: a key reaches the keys of its own account that are not freer than itself. */
@Injectable()
export class ServiceAccountKeysService {
  constructor(
    private readonly serviceAccounts: ServiceAccountsService,
    private readonly views: ApiKeySearchRepository,
    private readonly keyChanges: ServiceAccountKeyChangesService,
    private readonly changes: ApiKeyChangesService,
  ) {}

  /** The keys of service accounts, oldest first. */
  async listOf(serviceAccountIds: string[]): Promise<ApiKeyView[]> {
    return serviceAccountIds.length === 0 ? [] : this.views.listOfServiceAccounts(serviceAccountIds);
  }

  async list(caller: Caller, serviceAccountId: string): Promise<ApiKeyView[]> {
    const { id } = await this.serviceAccounts.get(caller, serviceAccountId);
    return this.listOf([id]);
  }

  async create(
    caller: Caller,
    serviceAccountId: string,
    input: Omit<NewApiKey, 'accountId' | 'serviceAccountId' | 'makerIds'>,
  ): Promise<IssuedApiKey> {
    const { id } = await this.serviceAccounts.get(caller, serviceAccountId);
    return this.keyChanges.create(caller, { ...input, serviceAccountId: id });
  }

  async edit(caller: Caller, path: KeyPath, edit: CustomerKeyEdit): Promise<ApiKeyView> {
    await this.get(caller, path);
    await this.keyChanges.edit(caller, path, edit);
    return this.get(caller, path);
  }

  async delete(caller: Caller, path: KeyPath): Promise<void> {
    await this.get(caller, path);
    await this.keyChanges.delete(caller, path);
  }

  /** Disables the key that calls. */
  async disableSelf(caller: Caller): Promise<void> {
    const { keyId, accountId } = caller.key;
    const target = {
      actor: byCaller(caller),
      keyId,
      expected: 'any',
      reason: null,
      owner: { accountId },
    } as const;
    await this.changes.disable(target, 'self_disabled');
  }

  private async get(caller: Caller, { serviceAccountId, keyId }: KeyPath): Promise<ApiKeyView> {
    const { id } = await this.serviceAccounts.get(caller, serviceAccountId);
    const key = isUuid(keyId) ? await this.views.find(keyId) : null;
    if (key?.serviceAccountId !== id) throw keyNotFound(keyId);
    return key;
  }
}
