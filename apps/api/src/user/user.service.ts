import type { Account } from '@app/database/accounts/account.entity';
import { AccountRepository, type AccountUsage } from '@app/database/accounts/account.repository';
import { ApiKeySearchRepository } from '@app/database/keys/api-key-search.repository';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';

export interface Subscriber {
  account: Account;
  usage: AccountUsage;
}

/** What a customer reads about their own account. */
@Injectable()
export class UserService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeySearchRepository,
  ) {}

  async getSubscriber({ key }: Caller): Promise<Subscriber> {
    const account = await this.accounts.get(key.accountId);
    return { account, usage: await this.accounts.getUsage(account.id) };
  }

  async findKey({ key }: Caller): Promise<ApiKeyView | null> {
    return this.keys.find(key.keyId);
  }
}
