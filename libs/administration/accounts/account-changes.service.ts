import type { AuditAction } from '@app/domain/audit/audit-actions';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { CreditBalances } from '@app/credits/credit-balances';
import type { Account } from '@app/database/accounts/account.entity';
import type { AccountStatus } from '@app/domain/accounts/account-status';
import { AccountRepository, type AccountPatch } from '@app/database/accounts/account.repository';
import {
  ACCOUNT_FIELDS,
  PLAIN_ACCOUNT_FIELDS,
  requestedSettings,
  STORED_ACCOUNT_FIELDS,
  UNDONE_OF_ACCOUNTS,
  type AccountSettings,
  type AccountSettingsEdit,
  type NewAccount,
  type UndoneOfAccount,
} from '@app/domain/accounts/account-fields';
import { effectiveLimits } from '@app/domain/accounts/account-limits';
import { ALLOW_LIST_TIER, mayEnableAllowLists } from '@app/domain/allow-lists/allow-list-entitlement';
import { StaffRepository } from '@app/database/staff/staff.repository';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { propertyOf } from '@app/domain/common/property-name';
import { isUuid } from '@app/domain/common/uuid';
import { mayStaff, STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { approvable, args, type ApprovedRequest } from '../approvals/approvable';
import { ApprovalsService } from '../approvals/approvals.service';
import { boolean, object, OF_FIELD, optional, text, time } from '../approvals/json-shape';
import type { AuditActor } from '../audit/audit-actors';
import type { AuditEntry } from '../audit/audit-log';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { keeping, NOT_SAVED_IN_TIME, undoing, undoingIfDue } from '../audit/undo-work';
import { changing, difference, type ChangeRequest, type Edit, type Locked } from '../audit/locked-change';
import { AccountsService, overridesOf } from './accounts.service';

/** Which account a change is about, and who makes it. */
export interface AccountTarget extends ChangeRequest {
  accountId: string;
}

export interface AccountEdit extends AccountSettingsEdit {
  /** When the tier and the limits are reverted, as ISO 8601 text; null for never. */
  revertAt?: string | null;
  /** Instead of all that: the setting whose last change is undone, or kept although its timer would revert it. */
  undoes?: UndoneOfAccount;
  keeps?: UndoneOfAccount;
}

const limit = OF_FIELD.count;

export const ACCOUNT_EDIT = args<AccountEdit>(
  object({
    ...Object.fromEntries(
      PLAIN_ACCOUNT_FIELDS.map((name) => [propertyOf(name), OF_FIELD[ACCOUNT_FIELDS[name].kind]]),
    ),
    overrides: optional(object({ credits: limit, voiceSlots: limit, concurrency: limit })),
    revertAt: time,
    undoes: optional(text),
    keeps: optional(text),
  }),
);

export const ENTITLEMENT = args<{ enabled: boolean }>(object({ enabled: boolean }));

/** Every change that staff make to an account: audited in the same transaction, announced to every process. */
@Injectable()
export class AccountChangesService {
  readonly approvable = {
    account_settings: approvable('account_settings', ACCOUNT_EDIT, (approved) => ({
      work: this.editing(accountOf(approved), approved.args),
    })),
    allow_list_entitlement: approvable('allow_list_entitlement', ENTITLEMENT, (approved) => ({
      work: this.settingAllowListEntitlement(accountOf(approved), approved.args.enabled),
    })),
  };

  constructor(
    private readonly changes: AuditedChanges,
    private readonly opening: AccountsService,
    private readonly accounts: AccountRepository,
    private readonly credits: CreditBalances,
    private readonly staff: StaffRepository,
    private readonly approvals: ApprovalsService,
    private readonly undos: KeyUndoRepository,
  ) {}

  /** Opens an account. Returns its id. */
  async create(actor: AuditActor, input: NewAccount, reason: string): Promise<string> {
    const { result } = await this.changes.make(async (em) => {
      const account = await this.opening.create(input, em);
      const event: AuditEntry = {
        actor,
        action: 'account.created',
        target: auditTarget(account),
        after: settingsOf(account),
        reason,
      };
      return { result: account.id, events: [event] };
    });
    return result;
  }

  /** Changes name, tier or overrides. What the account may use follows at once. */
  async edit(target: AccountTarget, edit: AccountEdit): Promise<ChangeReceipt | null> {
    const requested = { ...target, approvable: this.approvable.account_settings, args: () => edit };
    return (await this.approvals.make(this.editing(target, edit), requested)).receipt;
  }

  /** `edit` that was approved, or that of an `undo` or a `keep`. */
  editing(target: AccountTarget, edit: AccountEdit): ChangeWork {
    const { undoes, keeps, revertAt: endsAt = null } = edit;
    if (undoes) return undoing(this.undoable(target, undoes));
    if (keeps) return keeping(this.undoable(target, keeps));
    const dueAt = endsAt === null ? null : new Date(endsAt);
    return this.changing(target, async (account, em) => {
      // It may have waited for a second person until then.
      if (dueAt && dueAt <= new Date()) throw new DomainError('end_passed', { endsAt: endsAt! });
      const stored = await this.store(target, account, requestedSettings(edit), dueAt, em);
      return stored && { ...stored, action: 'account.edited' };
    });
  }

  /** Restores what a setting was before its last change. That can be undone in the same way. */
  async undo(target: AccountTarget, setting: UndoneOfAccount): Promise<ChangeReceipt | null> {
    const { accountId: id } = target;
    const undo = isUuid(id) ? await this.undos.find(id, setting) : null;
    const edit = { undoes: setting };
    // What the undo timer is about to do anyway waits for no second person.
    if (undo?.dueAt) return (await this.changes.make(this.editing(target, edit))).receipt;
    return this.edit(target, edit);
  }

  /** Keeps a change of a setting that its undo timer would have reverted. */
  async keep(target: AccountTarget, setting: UndoneOfAccount): Promise<ChangeReceipt | null> {
    return this.edit(target, { keeps: setting });
  }

  /** Reverts the last change of a setting if its undo timer has run out and the change was not kept. */
  async undoIfDue(actor: AuditActor, accountId: string, setting: UndoneOfAccount): Promise<void> {
    const target: AccountTarget = { actor, accountId, expected: 'any', reason: NOT_SAVED_IN_TIME };
    await this.changes.make(undoingIfDue(this.undoable(target, setting)));
  }

  private undoable(target: AccountTarget, setting: UndoneOfAccount) {
    return {
      undos: this.undos,
      subjectId: target.accountId,
      setting,
      changing: (edit: (account: Account, em: EntityManager) => Promise<Edit<AccountPatch> | null>) =>
        this.changing(target, edit),
      keepAction: 'account.edit_kept' as const,
      restore: async (account: Account, { before }: KeyUndo, em: EntityManager) => {
        const stored = await this.store(target, account, { [propertyOf(setting)]: before }, null, em);
        // The setting is as it was already: no timer is left to run out.
        if (!stored) await this.undos.clearDue(account.id, setting, em);
        return { ...stored, action: 'account.edit_undone' as const };
      },
    };
  }

  /** The one way to other settings, by an edit and by its undo: what they were is stored, too; null when none differs. */
  private async store(
    target: AccountTarget,
    account: Account,
    edited: Partial<AccountSettings>,
    dueAt: Date | null,
    em: EntityManager,
  ): Promise<Pick<Edit<AccountPatch>, 'patch' | 'before' | 'after'> | null> {
    const requested = { ...account, ...edited };
    // An account that leaves the tier of the entitlement loses it, and does not get it back by returning.
    requested.ipAllowListEnabled &&= mayEnableAllowLists(requested.tier);
    const { before, after } = difference(settingsOf(account), settingsOf(requested));
    if (Object.keys(after).length === 0) return null;
    if (requested.externalId !== account.externalId) await this.opening.requireFreeExternalId(requested, em);
    const limits = effectiveLimits(requested.tier, overridesOf(requested));
    await this.credits.setLimit(account.id, limits.credits, em);
    const patch = {
      ...edited,
      ipAllowListEnabled: requested.ipAllowListEnabled,
      voiceLimit: limits.voiceSlots,
      concurrencyLimit: limits.concurrency,
      ...('ip_allow_list_enabled' in after && switched(target)),
    };
    const by = { subjectId: account.id, changedBy: target.actor.name, changedAt: new Date(), dueAt };
    const changed = UNDONE_OF_ACCOUNTS.filter((setting) => setting in before);
    await this.undos.save(
      changed.map((setting) => ({ ...by, setting, before: before[setting] })),
      em,
    );
    const ends = dueAt !== null && changed.length > 0;
    return { patch, before, after: { ...after, ...(ends && { undo_due_at: dueAt }) } };
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
    const approvable = this.approvable.allow_list_entitlement;
    const work = this.settingAllowListEntitlement(target, enabled);
    return (await this.approvals.make(work, { ...target, approvable, args: () => ({ enabled }) })).receipt;
  }

  private settingAllowListEntitlement(target: AccountTarget, enabled: boolean): ChangeWork {
    return this.changing(target, async (account) => {
      if (enabled && !mayEnableAllowLists(account.tier)) {
        const needs = `the tier ${ALLOW_LIST_TIER}`;
        throw new DomainError(
          'feature_not_available',
          { feature: 'An IP allow-list', tier: account.tier, needs },
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

  /** Sets whether holders of the account's keys may disable them, for keys that do not say it; null for the default. */
  async setThirdPartyDisabling(target: AccountTarget, allowed: boolean | null): Promise<void> {
    await this.change(target, async ({ thirdPartyDisableAllowed }) =>
      thirdPartyDisableAllowed === allowed
        ? null
        : {
            patch: { thirdPartyDisableAllowed: allowed },
            action: 'account.edited',
            before: { third_party_disable_allowed: thirdPartyDisableAllowed },
            after: { third_party_disable_allowed: allowed },
          },
    );
  }

  /** Notes that those whose recordings the account uploads have consented, or that they have not. Voices that exist stay. */
  async setRecordingsConsent(target: AccountTarget, input: boolean): Promise<ChangeReceipt | null> {
    return this.change(target, async ({ recordingsConsentedAt: before }) => {
      if ((before !== null) === input) return null;
      const after = input ? new Date() : null;
      return {
        patch: { recordingsConsentedAt: after },
        action: input ? 'account.recordings_consent_noted' : 'account.recordings_consent_withdrawn',
        before: { recordings_consented_at: before?.toISOString() ?? null },
        after: { recordings_consented_at: after?.toISOString() ?? null },
      };
    });
  }

  /** Assigns the member of staff who looks after the account; null for none. */
  async setManager(target: AccountTarget, managerId: string | null): Promise<ChangeReceipt | null> {
    return this.change(target, async ({ managerId: before }, em) => {
      if (before === managerId) return null;
      const [old, manager] = await Promise.all([this.findMember(before, em), this.findMember(managerId, em)]);
      if (managerId !== null && !mayManageAccounts(manager)) throw badManager(managerId);
      return {
        patch: { managerId },
        action: managerId === null ? 'account.manager_removed' : 'account.manager_assigned',
        before: { manager: old?.email ?? null },
        after: { manager: manager?.email ?? null },
      };
    });
  }

  /** Changes an account that is not closed. For changes with their own service too. */
  async change(
    target: AccountTarget,
    edit: (account: Account, em: EntityManager) => Promise<Edit<AccountPatch> | null>,
  ): Promise<ChangeReceipt | null> {
    return (await this.changes.make(this.changing(target, edit))).receipt;
  }

  /** `change` as a part of a larger one. */
  changing(
    target: AccountTarget,
    edit: (account: Account, em: EntityManager) => Promise<Edit<AccountPatch> | null>,
  ): ChangeWork {
    const lock = (em: EntityManager) => this.lock(target.accountId, em);
    return changing(target, lock, async (account, em) => {
      if (account.status === 'closed') throw new DomainError('account_closed');
      return edit(account, em);
    });
  }

  private async findMember(id: string | null, em: EntityManager): Promise<StaffMember | null> {
    return id !== null && isUuid(id) ? this.staff.find(id, em) : null;
  }

  private async lock(accountId: string, em: EntityManager): Promise<Locked<Account, AccountPatch>> {
    const account = await this.accounts.lock(accountId, em);
    return {
      resource: account,
      version: account.version,
      auditTarget: auditTarget(account),
      save: (patch) => this.accounts.update(account.id, patch, em),
      announce: { accountId: account.id },
    };
  }
}

const STATUS_ACTIONS: Record<AccountStatus, AuditAction> = {
  active: 'account.reactivated',
  suspended: 'account.suspended',
  closed: 'account.closed',
};

/** Roles of which an account manager may be. */
export const MANAGER_ROLES = STAFF_ROLES.filter((role) => mayStaff(role, 'accounts.write'));

function mayManageAccounts(member: StaffMember | null): boolean {
  return member !== null && member.disabledAt === null && MANAGER_ROLES.includes(member.role);
}

function badManager(input: string): InvalidInput {
  const accepted = 'the id of a member of staff who may change accounts and is not disabled';
  const msg = `Input should be ${accepted}`;
  return new InvalidInput([{ type: 'value_error', path: ['staff_id'], msg, input, ctx: { accepted } }]);
}

function switched({ actor, reason }: AccountTarget): AccountPatch {
  return { ipAllowListChangedAt: new Date(), ipAllowListChangedBy: actor.name, ipAllowListReason: reason };
}

function auditTarget({ id }: Account): AuditEntry['target'] {
  return { type: 'account', id, accountId: id };
}

/** What an edit may change, as the audit log keeps it: with the names of the API. */
function settingsOf(account: Account): Record<string, unknown> {
  const settings = STORED_ACCOUNT_FIELDS.map((name) => [name, account[propertyOf(name)]] as const);
  return { ...Object.fromEntries(settings), ip_allow_list_enabled: account.ipAllowListEnabled };
}

/** The account of an approved change, and who has requested it. */
export const accountOf = ({ actor, reason, expected, targetId }: ApprovedRequest): AccountTarget => ({
  actor,
  reason,
  expected,
  accountId: targetId,
});
