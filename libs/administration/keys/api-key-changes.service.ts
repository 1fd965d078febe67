import { Alerts } from '@app/alerts/alerts';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { CreditBalances } from '@app/credits/credit-balances';
import type { Account } from '@app/database/accounts/account.entity';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { inOneTrip } from '@app/database/common/one-trip';
import { ApiKeyRepository, type ApiKeyPatch } from '@app/database/keys/api-key.repository';
import { ALLOW_LIST_TIER, mayPlaceAllowList } from '@app/domain/allow-lists/allow-list-entitlement';
import { mayHolderDisable, type DisableReason } from '@app/domain/keys/disable-reasons';
import { DomainError } from '@app/domain/errors';
import { MAX_KEYS_PER_SERVICE_ACCOUNT } from '@app/domain/keys/key-grants';
import { effectiveKeyStatus, keyStatus } from '@app/domain/keys/key-status';
import { describeRetiring, planRotation, secretState } from '@app/domain/keys/secret-rotation';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import type { AuditEntry } from '../audit/audit-log';
import { refuseIfManaged } from '../audit/managed-by-file';
import { ApiKeysService, requireFreeExternalId, type IssuedApiKey, type NewApiKey } from './api-keys.service';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { changing, difference, type ChangeRequest, type Edit, type Locked } from '../audit/locked-change';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import { isUuid } from '@app/domain/common/uuid';
import {
  auditable,
  fieldOf,
  settingsOf,
  storedSetting,
  undosOf,
  requestedSettings,
  type EditableSetting,
  type KeyEdit,
  type KeySettings,
} from './key-settings';
import { KeyLifetimesService } from './key-lifetimes.service';
import { keeping, NOT_STORED, undoing, undoingIfDue } from './undo-work';

/** Which key a change is about, and who makes it. */
export interface KeyTarget extends ChangeRequest {
  keyId: string;
  /** Whose key it must be; staff may change every account's. */
  owner?: { accountId: string; serviceAccountId?: string };
}

/** A locked key, and its account. */
interface LockedKey {
  key: ApiKey;
  account: Account;
}

/**
 * Every change of a key, for staff and for customers: permitted or refused by the same rules, audited in the same
 * transaction, announced to every process.
 */
@Injectable()
export class ApiKeyChangesService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly issuing: ApiKeysService,
    private readonly keys: ApiKeyRepository,
    private readonly accounts: AccountRepository,
    private readonly credits: CreditBalances,
    private readonly alerts: Alerts,
    private readonly undos: KeyUndoRepository,
    private readonly lifetimes: KeyLifetimesService,
  ) {}

  /** Issues a key with its first secret, which is not shown again. A list needs the account's entitlement. */
  async create(actor: AuditActor, input: NewApiKey, reason: string | null): Promise<IssuedApiKey> {
    return (await this.changes.make(this.creating(actor, input, reason))).result;
  }

  /** `create` as a part of a larger change. */
  creating(actor: AuditActor, input: NewApiKey, reason: string | null): ChangeWork<IssuedApiKey> {
    return async (em) => {
      const account = await this.accounts.lock(input.accountId, em);
      if (!account) throw new DomainError('account_not_found', { account: input.accountId.slice(0, 100) });
      requireOpen(account);
      if (input.allowedIps) requireListEntitlement(account);
      if (input.serviceAccountId) await this.requireRoom(input.serviceAccountId, em);
      const expiresAt = await this.lifetimes.ofNewKey(input.expiresAt, account, new Date(), em);
      const issued = await this.issuing.create({ ...input, expiresAt }, em);
      const settings = settingsOf(issued.key, input.creditLimit ?? null);
      const { after } = auditable({ before: {}, after: settings });
      const { serviceAccountId, makerIds, managedBy } = issued.key;
      const owner = {
        service_account_id: serviceAccountId,
        ...(makerIds && { maker_ids: makerIds }),
        ...(managedBy && { managed_by: managedBy }),
      };
      const target = auditTarget(issued.key);
      const event = { actor, action: 'key.created', target, after: { ...after, ...owner }, reason };
      return { result: issued, events: [event] };
    };
  }

  /** Changes settings of a key. A change that sets nothing new changes nothing, its version included. */
  async edit(target: KeyTarget, edit: KeyEdit, dueAt: Date | null = null): Promise<ChangeReceipt | null> {
    return this.make(this.editing(target, edit, dueAt));
  }

  /**
   * `edit` as a part of a larger change.
   *
   * @param dueAt when what can be undone is reverted unless it is kept; null for never
   */
  editing(target: KeyTarget, edit: KeyEdit, dueAt: Date | null = null): ChangeWork {
    return this.changingSettings(target, async ({ key, account }, em) => {
      const changed = await this.store(target, { key, account }, requestedSettings(edit), dueAt, em);
      if (!changed) return null;
      const edited = { ...changed, action: 'key.edited' };
      return dueAt ? { ...edited, after: { ...changed.after, undo_due_at: dueAt } } : edited;
    });
  }

  /** Restores what a setting was before its last change. That can be undone in the same way. */
  async undo(target: KeyTarget, setting: EditableSetting): Promise<ChangeReceipt | null> {
    return this.make(undoing(this.undoable(target, setting)));
  }

  /** Keeps a change of a setting that its undo timer would have reverted. */
  async keep(target: KeyTarget, setting: EditableSetting): Promise<ChangeReceipt | null> {
    return this.make(keeping(this.undoable(target, setting)));
  }

  /** Reverts the last change of a setting if its undo timer has run out and the change was not kept. */
  async undoIfDue(actor: AuditActor, keyId: string, setting: EditableSetting): Promise<void> {
    const target: KeyTarget = { actor, keyId, expected: 'any', reason: NOT_STORED };
    await this.make(undoingIfDue(this.undoable(target, setting)));
  }

  private undoable(target: KeyTarget, setting: EditableSetting) {
    return {
      undos: this.undos,
      subjectId: target.keyId,
      setting,
      changing: (edit: (locked: LockedKey, em: EntityManager) => Promise<Edit<ApiKeyPatch> | null>) =>
        this.changing(target, edit),
      kept: 'key.edit_kept',
      restore: async (locked: LockedKey, { before }: KeyUndo, em: EntityManager) => {
        const { key } = locked;
        refuseIfManaged('API key', key, target.actor);
        const requested = { [fieldOf(setting)]: storedSetting(setting, before) } as Partial<KeySettings>;
        const changed = await this.store(target, locked, requested, null, em);
        // The setting is as it was already: no timer is left to run out.
        if (!changed) await this.undos.clearDue(key.id, setting, em);
        return { ...changed, action: 'key.edit_undone' };
      },
    };
  }

  /** The one way to other settings, by an edit and by its undo: stores those that differ, and what they were; null when none does. */
  private async store(
    { actor }: KeyTarget,
    { key, account }: LockedKey,
    requested: Partial<KeySettings>,
    dueAt: Date | null,
    em: EntityManager,
  ): Promise<{ patch: ApiKeyPatch; before: object; after: object } | null> {
    requireOpen(account);
    await this.requireLifetime(key, account, requested, em);
    const creditLimit = await this.credits.findLimit(key.id, em);
    const changed = difference(settingsOf(key, creditLimit), requested);
    if (Object.keys(changed.after).length === 0) return null;
    const { creditLimit: newLimit, ...patch } = changed.after;
    if (newLimit !== undefined) await this.credits.setLimit(key.id, newLimit, em);
    if (patch.externalId)
      await requireFreeExternalId(this.keys, { ...key, externalId: patch.externalId }, em);
    const by = { subjectId: key.id, changedBy: actor.name, changedAt: new Date(), dueAt };
    await this.undos.save(undosOf(changed.before, by), em);
    return { patch, ...auditable(changed) };
  }

  /** Disables a key for one of the fixed reasons. */
  async disable(target: KeyTarget, disableReason: DisableReason): Promise<ChangeReceipt | null> {
    return this.make(this.disabling(target, disableReason));
  }

  /** `disable` as a part of a larger change. */
  disabling(target: KeyTarget, disableReason: DisableReason): ChangeWork {
    return this.changing(target, async ({ key, account }, em) => {
      const disabledByCustomer = target.owner !== undefined;
      if (disabledByCustomer && disableReason === 'self_disabled') requireSelfDisabling(key, account);
      // What staff have disabled does not become the customer's own, which customers may enable.
      if (disabledByCustomer && key.disableReason !== null && !key.disabledByCustomer)
        throw new DomainError('status_unchanged', { status: 'disabled' });
      if (key.disableReason === disableReason && key.disabledByCustomer === disabledByCustomer)
        throw new DomainError('status_unchanged', { status: 'disabled' });
      return {
        also: async () => this.alerts.keysDisabled([key], disableReason, em),
        patch: { disableReason, disabledAt: new Date(), disabledByCustomer },
        action: 'key.disabled',
        before: { disable_reason: key.disableReason },
        after: { disable_reason: disableReason },
      };
    });
  }

  /**
   * Enables a key. Customers can undo what they have done themselves, not what staff have.
   *
   * @param from only a key that is disabled for this reason, if it is given
   */
  async enable(target: KeyTarget, from?: DisableReason): Promise<ChangeReceipt | null> {
    return this.make(this.enabling(target, from));
  }

  /** `enable` as a part of a larger change. */
  enabling(target: KeyTarget, from?: DisableReason): ChangeWork {
    return this.changing(target, async ({ key, account }) => {
      requireOpen(account);
      if (key.disableReason === null) throw new DomainError('status_unchanged', { status: 'enabled' });
      if (from !== undefined && key.disableReason !== from)
        throw new DomainError('status_unchanged', { status: 'disabled' });
      if (target.owner && !key.disabledByCustomer) {
        throw new DomainError('forbidden', {
          reason: 'Support has disabled this key, and can enable it.',
        });
      }
      return {
        patch: { disableReason: null, disabledAt: null, disabledByCustomer: false },
        action: 'key.enabled',
        before: { disable_reason: key.disableReason },
        after: { disable_reason: null },
      };
    });
  }

  /** Gives a key a new secret. The old one works for `overlapDays` more; both spend the same credits. */
  async rotate(
    target: KeyTarget,
    overlapDays: number,
  ): Promise<{ secret: string; receipt: ChangeReceipt | null }> {
    let secret = '';
    const rotating = this.changing(target, async ({ key, account }, em) => {
      requireOpen(account);
      const now = new Date();
      const status = keyStatus(key, now);
      if (status === 'expired')
        throw new DomainError('key_expired', { expiresAt: key.expiresAt!.toISOString() });
      await this.lifetimes.requireRotatable(key.expiresAt, account, now, em);
      const plan = planRotation(await this.keys.listSecrets(key.id, em), overlapDays, now);
      if (!plan.ok) {
        const works = effectiveKeyStatus(status, account.status) === 'enabled';
        const old = describeRetiring(plan.retiring, key.expiresAt, works);
        throw new DomainError('rotation_in_progress', { old }, { param: 'overlap_days' });
      }
      const next = this.issuing.newSecret(key.id, plan.number, now);
      secret = next.secret;
      await this.keys.retireSecrets(key.id, { at: plan.retiresAt }, em);
      await this.keys.insertSecret(next.stored, em);
      const after = { secret_number: plan.number, hint: next.stored.hint, old_retires_at: plan.retiresAt };
      return { patch: {}, action: 'key.rotated', after };
    });
    return { receipt: await this.make(rotating), secret };
  }

  /** Ends the overlap of a rotation now: only the current secret works on. */
  async endRotation(target: KeyTarget): Promise<ChangeReceipt | null> {
    const ending = this.changing(target, async ({ key }, em) => {
      const now = new Date();
      const secrets = await this.keys.listSecrets(key.id, em);
      const old = secrets.find((secret) => secretState(secret, now) === 'retiring');
      if (!old) throw new DomainError('no_old_secret');
      await this.keys.retireSecrets(key.id, { at: now, except: secrets[0]!.number }, em);
      const before = { secret_number: old.number, hint: old.hint, retires_at: old.retiresAt };
      return { patch: {}, action: 'key.rotation_ended', before, after: { retires_at: now } };
    });
    return this.make(ending);
  }

  /** Detaches a key from the key that created it: it is then not limited by that key. For staff. */
  async detach(target: KeyTarget): Promise<ChangeReceipt | null> {
    const detaching = this.changingSettings(target, async ({ key: { id, makerIds }, account }, em) => {
      requireOpen(account);
      if (makerIds === null) throw new DomainError('key_has_no_maker');
      await this.keys.detach(id, em);
      await this.credits.detach(id, em);
      return {
        patch: {},
        action: 'key.detached',
        before: { maker_ids: makerIds },
        after: { maker_ids: null },
      };
    });
    return this.make(detaching);
  }

  /** Deletes a key: it is refused like an unknown one, and can be restored for 30 days. What it has spent stays in the ledger. */
  async delete(target: KeyTarget): Promise<ChangeReceipt | null> {
    return this.make(this.deleting(target));
  }

  /** `delete` as a part of a larger change. */
  deleting(target: KeyTarget): ChangeWork {
    return this.changingSettings(target, async ({ key }) => ({
      patch: { deletedAt: new Date() },
      action: 'key.deleted',
      before: { name: key.name, disable_reason: key.disableReason },
    }));
  }

  /**
   * Restores a deleted key as it was. A file of keys that has deleted it does not manage it any more.
   *
   * @param confirmed whether it is restored although its secret was exposed
   * @throws DomainError `confirmation_required`
   */
  restoring(target: KeyTarget, confirmed: boolean): ChangeWork {
    return changing(
      target,
      (em) => this.lock(target, em, 'deleted'),
      async ({ key, account }, em) => {
        requireOpen(account);
        const isExposed = key.disableReason === 'exposed_publicly';
        if (isExposed && !confirmed)
          throw new DomainError('confirmation_required', {
            reasons:
              'The secret of this key was exposed: anyone who has found it could use it once it is enabled.',
          });
        if (key.serviceAccountId) await this.requireRoom(key.serviceAccountId, em);
        if (key.externalId)
          await requireFreeExternalId(this.keys, { ...key, externalId: key.externalId }, em);
        return {
          patch: { deletedAt: null, managedBy: null },
          action: 'key.restored',
          before: { deleted_at: key.deletedAt, managed_by: key.managedBy },
          after: { disable_reason: key.disableReason },
        };
      },
    );
  }

  /** Puts a key under the management of a file of keys, or releases it: null. */
  managing(target: KeyTarget, file: string | null): ChangeWork {
    return this.changing(target, async ({ key: { managedBy } }) => {
      if (managedBy === file) return null;
      return {
        patch: { managedBy: file },
        action: file === null ? 'key.released' : 'key.managed',
        before: { managed_by: managedBy },
        after: { managed_by: file },
      };
    });
  }

  /** Releases a key from its file of keys: staff and customers change it again, and the file does not. */
  async release(target: KeyTarget): Promise<ChangeReceipt | null> {
    const releasing: ChangeWork = async (em) => {
      const key = isUuid(target.keyId) ? await this.keys.find(target.keyId, em) : null;
      if (key && key.managedBy === null) throw new DomainError('status_unchanged', { status: 'not managed' });
      return this.managing(target, null)(em);
    };
    return this.make(releasing);
  }

  /** Changes what a file of keys decides, if one manages the key. Disabling, enabling and rotating stay possible. */
  private changingSettings(
    target: KeyTarget,
    edit: (locked: LockedKey, em: EntityManager) => Promise<Edit<ApiKeyPatch> | null>,
  ): ChangeWork {
    return this.changing(target, async (locked, em) => {
      refuseIfManaged('API key', locked.key, target.actor);
      return edit(locked, em);
    });
  }

  private changing(
    target: KeyTarget,
    edit: (locked: LockedKey, em: EntityManager) => Promise<Edit<ApiKeyPatch> | null>,
  ): ChangeWork {
    return changing(target, (em) => this.lock(target, em), edit);
  }

  private async lock(
    { keyId, owner }: KeyTarget,
    em: EntityManager,
    which: 'present' | 'deleted' = 'present',
  ): Promise<Locked<LockedKey, ApiKeyPatch>> {
    if (!isUuid(keyId)) throw keyNotFound(keyId);
    const lock = which === 'deleted' ? this.keys.lockDeleted(keyId, em) : this.keys.lock(keyId, em);
    const [key, account] = await inOneTrip([lock, this.accounts.findOfKey(keyId, em)]);
    if (!key || !account || (owner && !isOwnedBy(key, owner))) throw keyNotFound(keyId);
    return {
      resource: { key, account },
      version: key.version,
      auditTarget: auditTarget(key),
      save: (patch) => this.keys.update(key.id, patch, em),
      announce: {
        keyId: key.id,
        ...(which === 'deleted' && { digests: await this.newestDigests(key.id, em) }),
      },
    };
  }

  /** Those that may work: the current one, and the one that retires. */
  private async newestDigests(keyId: string, em: EntityManager): Promise<string[]> {
    return (await this.keys.listSecrets(keyId, em)).slice(0, 2).map(({ digest }) => digest);
  }

  /** An expiry that stays as it is may be later than the policy allows: it was set before that. */
  private async requireLifetime(
    key: ApiKey,
    account: Account,
    { expiresAt }: Partial<KeySettings>,
    em: EntityManager,
  ): Promise<void> {
    if (expiresAt === undefined || expiresAt?.getTime() === key.expiresAt?.getTime()) return;
    const [newest] = await this.keys.listSecrets(key.id, em);
    await this.lifetimes.requireAllowed(expiresAt, account, newest?.createdAt ?? key.createdAt, em);
  }

  private async make(work: ChangeWork): Promise<ChangeReceipt | null> {
    return (await this.changes.make(work)).receipt;
  }

  /** The caller holds the lock of the account, which every new key of a service account takes first. */
  private async requireRoom(serviceAccountId: string, em: EntityManager): Promise<void> {
    const [used, limit] = [
      await this.keys.countOfServiceAccount(serviceAccountId, em),
      MAX_KEYS_PER_SERVICE_ACCOUNT,
    ];
    if (used >= limit) throw new DomainError('service_account_key_limit_reached', { used, limit });
  }
}

function isOwnedBy(key: ApiKey, owner: { accountId: string; serviceAccountId?: string }): boolean {
  const { accountId, serviceAccountId } = owner;
  return (
    key.accountId === accountId &&
    (serviceAccountId === undefined || key.serviceAccountId === serviceAccountId)
  );
}

function requireOpen(account: Account): void {
  if (account.status === 'closed') throw new DomainError('account_closed');
}

function requireSelfDisabling(key: ApiKey, account: Account): void {
  if (mayHolderDisable(key.thirdPartyDisableAllowed, account.thirdPartyDisableAllowed)) return;
  const where = key.thirdPartyDisableAllowed === null ? 'its account' : 'the key';
  throw new DomainError('forbidden', {
    reason: `A holder of this key may not disable it: third_party_disable_allowed is false for ${where}.`,
  });
}

function requireListEntitlement(account: Account): void {
  if (mayPlaceAllowList(account)) return;
  throw new DomainError(
    'feature_not_available',
    {
      feature: 'A new IP allow-list',
      tier: account.tier,
      needs: `the tier ${ALLOW_LIST_TIER}, and that an account manager has switched it on`,
    },
    { param: 'allowed_ips' },
  );
}

function auditTarget({ id, accountId }: { id: string; accountId: string }): AuditEntry['target'] {
  return { type: 'api_key', id, accountId };
}
