import { AppConfig } from '@app/config/app-config';
import { CreditBalances } from '@app/credits/credit-balances';
import type { Account } from '@app/database/accounts/account.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { effectiveLimits, type LimitOverrides } from '@app/domain/accounts/account-limits';
import type { Tier } from '@app/domain/accounts/tiers';
import { accountIdIn } from '@app/domain/common/cell';
import { canonicalList } from '@app/domain/common/tags';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';

export interface NewAccount {
  name: string;
  tier: Tier;
  overrides?: Partial<LimitOverrides>;
  tags?: readonly string[];
  externalId?: string | null;
}

/** Opens accounts. The caller's permission is checked before. */
@Injectable()
export class AccountsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly accounts: AccountRepository,
    private readonly credits: CreditBalances,
    private readonly config: AppConfig,
  ) {}

  /** Opens an account with the credits, slots and concurrency of its tier, or of its overrides. */
  async create(input: NewAccount, em?: EntityManager): Promise<Account> {
    if (!em) return this.dataSource.transaction((transaction) => this.create(input, transaction));
    const account = toAccount(accountIdIn(this.config.cell, randomUUID()), input);
    const { credits } = effectiveLimits(account.tier, overridesOf(account));
    await this.requireFreeExternalId(account, em);
    await this.accounts.insert(account, em);
    await this.credits.openAccount(account.id, credits, em);
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

export function overridesOf(account: Account): LimitOverrides {
  return {
    credits: account.creditLimitOverride,
    voiceSlots: account.voiceLimitOverride,
    concurrency: account.concurrencyLimitOverride,
  };
}

function toAccount(
  id: string,
  { name, tier, overrides: input = {}, tags = [], externalId = null }: NewAccount,
): Account {
  const overrides = {
    credits: input.credits ?? null,
    voiceSlots: input.voiceSlots ?? null,
    concurrency: input.concurrency ?? null,
  };
  const { voiceSlots, concurrency } = effectiveLimits(tier, overrides);
  const now = new Date();
  return {
    id,
    name,
    tier,
    status: 'active',
    voiceLimit: voiceSlots,
    concurrencyLimit: concurrency,
    creditLimitOverride: overrides.credits,
    voiceLimitOverride: overrides.voiceSlots,
    concurrencyLimitOverride: overrides.concurrency,
    ipAllowListEnabled: false,
    ipAllowListChangedAt: null,
    ipAllowListChangedBy: null,
    ipAllowListReason: null,
    allowedIps: null,
    thirdPartyDisableAllowed: null,
    recordingsConsentedAt: null,
    managerId: null,
    tags: canonicalList(tags),
    externalId,
    frozenAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}
