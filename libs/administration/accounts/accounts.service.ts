import { AppConfig } from '@app/config/app-config';
import { CreditBalances } from '@app/credits/credit-balances';
import type { Account } from '@app/database/accounts/account.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import {
  requestedSettings,
  STORED_ACCOUNT_FIELDS,
  type AccountSettings,
  type NewAccount,
} from '@app/domain/accounts/account-fields';
import { effectiveLimits, type LimitOverrides } from '@app/domain/accounts/account-limits';
import { accountIdIn } from '@app/domain/common/cell';
import { propertyOf } from '@app/domain/common/property-name';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';

/** Opens accounts. The caller's permission is checked before. */
@Injectable()
export class AccountsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly accounts: AccountRepository,
    private readonly credits: CreditBalances,
    private readonly config: AppConfig,
  ) {}

  /**
   * Opens an account with the credits, slots and concurrency of its tier, or of its overrides.
   *
   * @param openedAt from when on its billing periods are counted, if not from now
   */
  async create(input: NewAccount, em?: EntityManager, openedAt?: Date): Promise<Account> {
    if (!em) return this.dataSource.transaction((transaction) => this.create(input, transaction, openedAt));
    const account = toAccount(accountIdIn(this.config.cell, randomUUID()), input, openedAt);
    const { credits } = effectiveLimits(account.tier, overridesOf(account));
    await this.requireFreeExternalId(account, em);
    await this.accounts.insert(account, em);
    await this.credits.openAccount(account.id, credits, em, openedAt);
    return account;
  }

  /** @throws DomainError `external_id_in_use` when another account has it */
  async requireFreeExternalId({ id, externalId }: Account, em: EntityManager): Promise<void> {
    if (externalId === null || !(await this.accounts.hasExternalId({ id, externalId }, em))) return;
    throw new DomainError(
      'external_id_in_use',
      { resource: 'account', externalId },
      { param: 'external_id' },
    );
  }
}

export function overridesOf(account: AccountSettings): LimitOverrides {
  return {
    credits: account.creditLimitOverride,
    voiceSlots: account.voiceLimitOverride,
    concurrency: account.concurrencyLimitOverride,
  };
}

/** Its name and its tier are still to come. */
const NO_SETTINGS = Object.fromEntries(
  STORED_ACCOUNT_FIELDS.map((name) => [propertyOf(name), name === 'tags' ? [] : null]),
) as unknown as AccountSettings;

function toAccount(id: string, input: NewAccount, openedAt = new Date()): Account {
  const settings = { ...NO_SETTINGS, ...requestedSettings(input) };
  const { voiceSlots, concurrency } = effectiveLimits(input.tier, overridesOf(settings));
  return {
    id,
    ...settings,
    status: 'active',
    voiceLimit: voiceSlots,
    concurrencyLimit: concurrency,
    ipAllowListEnabled: false,
    ipAllowListChangedAt: null,
    ipAllowListChangedBy: null,
    ipAllowListReason: null,
    allowedIps: null,
    thirdPartyDisableAllowed: null,
    recordingsConsentedAt: null,
    managerId: null,
    frozenAt: null,
    version: 1,
    createdAt: openedAt,
    updatedAt: openedAt,
  };
}
