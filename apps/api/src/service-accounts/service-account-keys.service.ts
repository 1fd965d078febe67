import { ApiKeySearchRepository } from '@app/database/keys/api-key-search.repository';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { ServiceAccountsService } from './service-accounts.service';

/** The keys of a customer's service accounts. */
@Injectable()
export class ServiceAccountKeysService {
  constructor(
    private readonly serviceAccounts: ServiceAccountsService,
    private readonly views: ApiKeySearchRepository,
  ) {}

  /** The keys of service accounts, oldest first. */
  async listOf(serviceAccountIds: string[]): Promise<ApiKeyView[]> {
    return serviceAccountIds.length === 0 ? [] : this.views.listOfServiceAccounts(serviceAccountIds);
  }

  async list(caller: Caller, serviceAccountId: string): Promise<ApiKeyView[]> {
    const { id } = await this.serviceAccounts.get(caller, serviceAccountId);
    return this.listOf([id]);
  }
}
