import type { Account } from '@app/database/accounts/account.entity';
import { AccountRepository, type AccountUsage } from '@app/database/accounts/account.repository';
import { ApiKeySearchRepository } from '@app/database/keys/api-key-search.repository';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { CreditLedger } from '@app/credits/credit-ledger';
import { BudgetRepository, type CurrentBudget } from '@app/database/credits/budget.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { DomainError } from '@app/domain/errors';
import type { KeyGrants } from '@app/domain/keys/key-grants';

export interface Subscriber {
  account: Account;
  usage: AccountUsage;
}

/** The calling key, its account's limits and those of the keys that created it included. */
export interface OwnKey {
  key: ApiKeyView;
  /** What it may do with these keys above it. */
  grants: KeyGrants;
  /** The list of its account, which must have the address too; null for none. */
  accountList: string[] | null;
  /** The address that the request came from; null when it cannot be known. */
  address: string | null;
  /** Null when nothing limits them. */
  creditsRemaining: number | null;
  /** Generations at once of the account, whatever the key may. */
  accountConcurrency: number;
  budgets: CurrentBudget[];
}

/** What a customer reads about their own account. */
@Injectable()
export class UserService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeySearchRepository,
    private readonly grants: ApiKeyRepository,
    private readonly ledger: CreditLedger,
    private readonly budgets: BudgetRepository,
  ) {}

  async getSubscriber({ key }: Caller): Promise<Subscriber> {
    const account = await this.accounts.get(key.accountId);
    return { account, usage: await this.accounts.getUsage(account.id) };
  }

  async findKey({ key }: Caller): Promise<ApiKeyView | null> {
    return this.keys.find(key.keyId);
  }

  /** @throws DomainError `invalid_api_key` for one that was deleted meanwhile */
  async getOwnKey({ key: { keyId, accountId }, address }: Caller): Promise<OwnKey> {
    const charges = { keyId, accountId, endUser: null, operation: null };
    const [key, grants, account, { remaining }, budgets] = await Promise.all([
      this.keys.find(keyId),
      this.grants.findGrants(keyId),
      this.accounts.get(accountId),
      this.ledger.remaining(charges),
      this.budgets.listOfCharges(charges),
    ]);
    if (!key || !grants) throw new DomainError('invalid_api_key');
    return {
      key,
      grants,
      accountList: account.allowedIps,
      address,
      creditsRemaining: remaining,
      accountConcurrency: account.concurrencyLimit,
      budgets,
    };
  }
}
