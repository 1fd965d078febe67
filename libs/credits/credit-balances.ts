import {
  CreditLedgerRepository,
  type CurrentCredits,
  type PrepaidGrant,
} from '@app/database/credits/credit-ledger.repository';
import {
  CreditRepository,
  type Adjustment,
  type CreditLimit,
  type NewPrepaidGrant,
} from '@app/database/credits/credit.repository';
import { adjustmentBounds, MAX_PREPAID_GRANTS } from '@app/domain/credits/credit-adjustment';
import { creditsLeft } from '@app/domain/credits/credits-left';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';

/**
 * Opens the balances of accounts and keys, sets their limits, and makes the adjustments of staff. With CreditLedger the only
 * code that moves credits or sets a limit. The caller owns the transaction.
 */
@Injectable()
export class CreditBalances {
  constructor(
    private readonly credits: CreditRepository,
    private readonly ledger: CreditLedgerRepository,
  ) {}

  /** For a command that connects to a database without a module. */
  static on(dataSource: DataSource): CreditBalances {
    return new CreditBalances(new CreditRepository(dataSource), new CreditLedgerRepository(dataSource));
  }

  /** Opens the balance of a new account. `creditLimit`: credits per billing period, see `openAccountBalance`. */
  async openAccount(
    accountId: string,
    creditLimit: number,
    em: EntityManager,
    openedAt?: Date,
  ): Promise<void> {
    await this.credits.openAccountBalance(accountId, creditLimit, em, openedAt);
  }

  /**
   * Opens the balance of a new key, on its account's billing periods. What the key spends counts for its parent keys too.
   *
   * @param key.creditLimit credits per billing period; null for no separate limit
   */
  async openKey(
    key: {
      keyId: string;
      accountId: string;
      creditLimit: number | null;
      parentKeyIds: readonly string[] | null;
    },
    em: EntityManager,
  ): Promise<void> {
    await this.credits.openKeyBalance(key.keyId, key.accountId, key.creditLimit, em, key.parentKeyIds);
  }

  /** Opens the balances of new keys of an account that have no parent keys. */
  async openKeys(
    accountId: string,
    keys: readonly { id: string; creditLimit: number | null }[],
    em: EntityManager,
  ): Promise<void> {
    await this.credits.openKeyBalances(accountId, keys, em);
  }

  /** Sets the credits that an account or key may use per billing period, from the current one on; null for no limit. */
  async setLimit(subjectId: string, creditLimit: number | null, em: EntityManager): Promise<void> {
    await this.credits.setLimits([{ subjectId, creditLimit }], em);
  }

  /** The same for many keys at once, each with a separate limit. */
  async setLimits(limits: readonly CreditLimit[], em: EntityManager): Promise<void> {
    await this.credits.setLimits(limits, em);
  }

  /** The credits that an account or key may use per billing period; null for no limit. */
  async findLimit(subjectId: string, em: EntityManager): Promise<number | null> {
    return this.credits.findLimit(subjectId, em);
  }

  /** Refuses every charge, refund and adjustment of an account from now on, once those that are settled now are; or ends that. */
  async setFrozen(accountId: string, frozen: boolean, em: EntityManager): Promise<void> {
    await this.credits.setFrozen(accountId, frozen, em);
  }

  /**
   * Detaches a key from its parent keys, and with it the keys that it has created: what they spend from now on does not count for
   * those parent keys. What they have spent stays counted.
   */
  async detach(keyId: string, em: EntityManager): Promise<void> {
    await this.credits.detachFromParentKeys(keyId, em);
  }

  /**
   * Grants credits, or corrects what was used, in the current billing period: one line of the ledger, for the account and, if
   * it names a key, for that key and its parent keys.
   *
   * @returns what was left to the account before; null for no limit
   * @throws DomainError `adjustment_out_of_range` when the amount is more than one of them has room for
   */
  async adjust(adjustment: Adjustment, em: EntityManager): Promise<number | null> {
    const { accountId, keyId } = adjustment;
    await this.credits.lock(keyId === null ? [] : [keyId], [accountId], em);
    const payers = await this.ledger.listPayers(keyId ?? accountId, accountId, em);
    for (const credits of payers) requireRoom(credits, adjustment);
    await this.credits.move(adjustment, em);
    return creditsLeft(payers.find(({ subject }) => subject === 'account')!);
  }

  /**
   * Grants prepaid credits: charges of the account use them behind those of its billing period, the grant that ends first before
   * the others.
   *
   * @returns what was left to the account before; null for no limit
   * @throws DomainError `adjustment_out_of_range`, `prepaid_limit_reached`
   */
  async grantPrepaid(grant: NewPrepaidGrant, em: EntityManager): Promise<number | null> {
    const { accountId, amount } = grant;
    await this.credits.lock([], [accountId], em);
    const credits = (await this.ledger.findCurrent(accountId, em))!;
    requireRoom(credits, { kind: 'grant', amount });
    const limit = MAX_PREPAID_GRANTS;
    const live = (await this.ledger.listPrepaid(accountId, limit, em)).filter(({ isLive }) => isLive);
    if (live.length >= limit) throw new DomainError('prepaid_limit_reached', { limit, used: live.length });
    await this.credits.addPrepaid(grant, em);
    return creditsLeft(credits);
  }

  /**
   * Takes back what is left of a prepaid grant. What requests give back to it afterwards is not used any more.
   *
   * @returns the grant as it was
   * @throws DomainError `prepaid_grant_not_found`, `status_unchanged` when nothing is left of it
   */
  async revokePrepaid(
    { id, accountId, actor }: Pick<NewPrepaidGrant, 'id' | 'accountId' | 'actor'>,
    em: EntityManager,
  ): Promise<PrepaidGrant> {
    await this.credits.lock([], [accountId], em);
    const grant = await this.ledger.findPrepaid(accountId, id, em);
    if (!grant) throw new DomainError('prepaid_grant_not_found', { grantId: id.slice(0, 100) });
    if (!grant.isLive) throw new DomainError('status_unchanged', { status: 'used up or ended' });
    await this.credits.revokePrepaid(id, actor, em);
    return grant;
  }
}

function requireRoom(credits: CurrentCredits, { kind, amount }: Pick<Adjustment, 'kind' | 'amount'>): void {
  const { min, max } = adjustmentBounds(kind, credits);
  if (amount >= min && amount <= max) return;
  const { subject } = credits;
  throw new DomainError('adjustment_out_of_range', { amount, min, max, subject }, { param: 'amount' });
}
