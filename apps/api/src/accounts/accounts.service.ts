import { CreditRepository } from '@app/database/repositories/credit.repository';
import { AccountRepository } from '@app/database/repositories/account.repository';
import type { Account } from '@app/database/entities/account.entity';
import { TIERS, type Tier } from '@app/domain/tiers';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';

@Injectable()
export class AccountsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly accounts: AccountRepository,
    private readonly credits: CreditRepository,
  ) {}

  /** Opens an account with the credits, slots and concurrency of its tier. */
  async create({ name, tier }: { name: string; tier: Tier }, em?: EntityManager): Promise<Account> {
    if (!em) return this.dataSource.transaction((transaction) => this.create({ name, tier }, transaction));
    const { credits, voiceSlots, concurrency } = TIERS[tier];
    const now = new Date();
    const account: Account = {
      id: randomUUID(),
      name,
      tier,
      status: 'active',
      voiceLimit: voiceSlots,
      concurrencyLimit: concurrency,
      createdAt: now,
      updatedAt: now,
    };
    await this.accounts.insert(account, em);
    await this.credits.openAccountBalance(account.id, credits, em);
    return account;
  }
}
