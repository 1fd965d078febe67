import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { CreditBalances } from '@app/credits/credit-balances';
import type { Account, AccountStatus } from '@app/database/accounts/account.entity';
import { AccountRepository, type AccountPatch } from '@app/database/accounts/account.repository';
import { effectiveLimits, type LimitOverrides } from '@app/domain/accounts/account-limits';
import { ALLOW_LIST_TIER, mayEnableAllowLists } from '@app/domain/allow-lists/allow-list-entitlement';
import { DomainError } from '@app/domain/errors';
import type { Tier } from '@app/domain/accounts/tiers';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditedChanges, difference } from '@app/administration/audit/audited-changes';
import { byStaff } from '@app/administration/audit/audit-actors';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { AccountsService, overridesOf, type NewAccount } from '@app/administration/accounts/accounts.service';

/** Which account a change is about, and who makes it. */
export interface AccountTarget {
  staff: Staff;
  accountId: string;
  expected: ExpectedVersion;
  reason: string;
}

/** What an edit sets; undefined leaves it as it is, null gives a limit back to the tier. */
interface AccountEdit {
  name?: string;
  tier?: Tier;
  overrides?: Partial<LimitOverrides>;
}

/** A change of an account: what it sets, and what the audit log says of it. */
interface AccountWork {
  patch: AccountPatch;
  action: string;
  before: object;
  after: object;
}

/** Every change that staff make to an account: audited in the same transaction, announced to every process. */
@Injectable()
export class AccountChangesService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly opening: AccountsService,
    private readonly accounts: AccountRepository,
    private readonly credits: CreditBalances,
  ) {}

  async create(staff: Staff, input: NewAccount, reason: string): Promise<string> {
    const { result } = await this.changes.make(async (em) => {
      const account = await this.opening.create(input, em);
      const event = {
        actor: byStaff(staff),
        action: 'account.created',
        target: { type: 'account', id: account.id, accountId: account.id },
        after: settingsOf(account),
        reason,
      };
      return { result: account.id, events: [event] };
    });
    return result;
  }

  /** Changes name, tier or overrides. What the account may use follows at once. */
  async edit(target: AccountTarget, edit: AccountEdit): Promise<ChangeReceipt | null> {
    return this.change(target, async (account, em) => {
      const wanted = applyEdit(account, edit);
      const changed = difference(settingsOf(account), settingsOf(wanted));
      if (Object.keys(changed.after).length === 0) return null;
      const limits = effectiveLimits(wanted.tier, overridesOf(wanted));
      await this.credits.setLimit(account.id, limits.credits, em);
      const { name, tier, ipAllowListEnabled } = wanted;
      const patch = {
        name,
        tier,
        ipAllowListEnabled,
        voiceLimit: limits.voiceSlots,
        concurrencyLimit: limits.concurrency,
        creditLimitOverride: wanted.creditLimitOverride,
        voiceLimitOverride: wanted.voiceLimitOverride,
        concurrencyLimitOverride: wanted.concurrencyLimitOverride,
        ...(ipAllowListEnabled !== account.ipAllowListEnabled && switched(target)),
      };
      return { patch, action: 'account.edited', ...changed };
    });
  }

  /** Suspends, reactivates or closes an account. All of its keys are refused from now on, or admitted again. */
  async setStatus(target: AccountTarget, status: AccountStatus): Promise<ChangeReceipt | null> {
    return this.change(target, async (account) => {
      if (account.status === status) throw new DomainError('status_unchanged', { status });
      return {
        patch: { status },
        action: STATUS_ACTIONS[status],
        before: { status: account.status },
        after: { status },
      };
    });
  }

  /** Switches IP allow-lists on or off. Off: lists that exist stay enforced, new ones are refused. */
  async setAllowListEntitlement(target: AccountTarget, enabled: boolean): Promise<ChangeReceipt | null> {
    return this.change(target, async (account) => {
      if (enabled && !mayEnableAllowLists(account.tier)) {
        const needs = `the tier ${ALLOW_LIST_TIER}`;
        throw new DomainError(
          'feature_not_available',
          { feature: 'IP allow-lists', tier: account.tier, needs },
          { param: 'enabled' },
        );
      }
      if (account.ipAllowListEnabled === enabled) return null;
      return {
        patch: { ipAllowListEnabled: enabled, ...switched(target) },
        action: enabled ? 'account.ip_allow_list_switched_on' : 'account.ip_allow_list_switched_off',
        before: { ip_allow_list_enabled: !enabled },
        after: { ip_allow_list_enabled: enabled },
      };
    });
  }

  /**
   * Makes a change that `work` describes, in its transaction; null for nothing. For changes with a service of their own too.
   */
  async change(
    { staff, accountId, expected, reason }: AccountTarget,
    work: (account: Account, em: EntityManager) => Promise<AccountWork | null>,
  ): Promise<ChangeReceipt | null> {
    const { receipt } = await this.changes.make<void>(async (em) => {
      const account = await this.accounts.lock(accountId, em);
      if (!account) throw accountNotFound(accountId);
      checkVersion(expected, account.version);
      if (account.status === 'closed') throw new DomainError('account_closed');
      const done = await work(account, em);
      if (!done) return { result: undefined, events: [] };
      const { patch, ...audited } = done;
      await this.accounts.update(account.id, patch, em);
      const target = { type: 'account', id: account.id, accountId: account.id };
      const events = [{ ...audited, actor: byStaff(staff), target, reason }];
      return { result: undefined, events, announce: { accountId: account.id } };
    });
    return receipt;
  }
}

const STATUS_ACTIONS: Record<AccountStatus, string> = {
  active: 'account.reactivated',
  suspended: 'account.suspended',
  closed: 'account.closed',
};

export function accountNotFound(accountId: string): DomainError {
  return new DomainError('account_not_found', { account: accountId.slice(0, 100) });
}

/** An account that leaves the tier of the entitlement loses it, and does not get it back by returning. */
function applyEdit(account: Account, { name, tier, overrides = {} }: AccountEdit): Account {
  const newTier = tier ?? account.tier;
  const before = overridesOf(account);
  const chosen = (limit: keyof LimitOverrides) =>
    overrides[limit] === undefined ? before[limit] : overrides[limit];
  return {
    ...account,
    name: name ?? account.name,
    tier: newTier,
    creditLimitOverride: chosen('credits'),
    voiceLimitOverride: chosen('voiceSlots'),
    concurrencyLimitOverride: chosen('concurrency'),
    ipAllowListEnabled: account.ipAllowListEnabled && mayEnableAllowLists(newTier),
  };
}

function switched({ staff, reason }: AccountTarget): AccountPatch {
  return { ipAllowListChangedAt: new Date(), ipAllowListChangedBy: staff.email, ipAllowListReason: reason };
}

/** What an edit may change, as the audit log keeps it: with the names of the API. */
function settingsOf(account: Account) {
  return {
    name: account.name,
    tier: account.tier,
    credit_limit_override: account.creditLimitOverride,
    voice_limit_override: account.voiceLimitOverride,
    concurrency_limit_override: account.concurrencyLimitOverride,
    ip_allow_list_enabled: account.ipAllowListEnabled,
  };
}
