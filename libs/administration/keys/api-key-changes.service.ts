import { Alerts } from '@app/alerts/alerts';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { Account } from '@app/database/accounts/account.entity';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import type { ApiKeyPatch } from '@app/database/keys/api-key.repository';
import { mayHolderDisable, type DisableReason } from '@app/domain/keys/disable-reasons';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { refuseIfManaged } from '../audit/managed-by-file';
import type { IssuedApiKey, NewApiKey } from './api-keys.service';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { changing, type Edit } from '../audit/locked-change';
import { requestedSettings, restoredSetting, type EditableSetting, type KeyEdit } from './key-settings';
import { keeping, NOT_SAVED_IN_TIME, undoing, undoingIfDue } from '../audit/undo-work';
import { KeyCreation } from './key-creation';
import { KeyLocks, requireOpen, type KeyTarget, type LockedKey } from './key-locks';
import { KeySecrets } from './key-secrets';
import { KeySettingsStore } from './key-settings-store';

/**
 * Every change of a key, for staff and for customers: permitted or refused by the same rules, audited in the same
 * transaction, announced to every process.
 */
@Injectable()
export class ApiKeyChangesService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly locks: KeyLocks,
    private readonly creation: KeyCreation,
    private readonly secrets: KeySecrets,
    private readonly settings: KeySettingsStore,
    private readonly alerts: Alerts,
  ) {}

  /** Issues a key with its first secret, which is not shown again. A list needs the account's entitlement. */
  async create(actor: AuditActor, input: NewApiKey, reason: string | null): Promise<IssuedApiKey> {
    return (await this.changes.make(this.creating(actor, input, reason))).result;
  }

  /** `create` as a part of a larger change. */
  creating(actor: AuditActor, input: NewApiKey, reason: string | null): ChangeWork<IssuedApiKey> {
    return this.creation.creating(actor, input, reason);
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
      const changed = await this.settings.store(target, { key, account }, requestedSettings(edit), dueAt, em);
      if (!changed) return null;
      const edited = { ...changed, action: 'key.edited' as const };
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
    const target: KeyTarget = { actor, keyId, expected: 'any', reason: NOT_SAVED_IN_TIME };
    await this.make(undoingIfDue(this.undoable(target, setting)));
  }

  private undoable(target: KeyTarget, setting: EditableSetting) {
    return {
      undos: this.settings.undos,
      subjectId: target.keyId,
      setting,
      changing: (edit: (locked: LockedKey, em: EntityManager) => Promise<Edit<ApiKeyPatch> | null>) =>
        this.changing(target, edit),
      keepAction: 'key.edit_kept' as const,
      restore: async (locked: LockedKey, { before }: KeyUndo, em: EntityManager) => {
        const { key } = locked;
        refuseIfManaged('API key', key, target.actor);
        const requested = restoredSetting(setting, before);
        const changed = await this.settings.store(target, locked, requested, null, em);
        // The setting is as it was already: no timer is left to run out.
        if (!changed) await this.settings.undos.clearDue(key.id, setting, em);
        return { ...changed, action: 'key.edit_undone' as const };
      },
    };
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
   * @param from only a key that is disabled for this reason; undefined for any
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
    const rotating = this.changing(target, async (locked, em) => {
      const rotated = await this.secrets.rotate(locked, overlapDays, em);
      ({ secret } = rotated);
      return { patch: {}, action: 'key.rotated', after: rotated.after };
    });
    return { receipt: await this.make(rotating), secret };
  }

  /** Ends the overlap of a rotation now: only the current secret works on. */
  async endRotation(target: KeyTarget): Promise<ChangeReceipt | null> {
    const ending = this.changing(target, async ({ key }, em) => {
      const ended = await this.secrets.endRotation(key.id, em);
      return { patch: {}, action: 'key.rotation_ended', ...ended };
    });
    return this.make(ending);
  }

  /** Detaches a key from the key that created it: it is then not limited by that key. For staff. */
  async detach(target: KeyTarget): Promise<ChangeReceipt | null> {
    const detaching = this.changingSettings(target, async ({ key: { id, parentKeyIds }, account }, em) => {
      requireOpen(account);
      if (parentKeyIds === null) throw new DomainError('key_has_no_maker');
      await this.settings.detach(id, em);
      return {
        patch: {},
        action: 'key.detached',
        before: { maker_ids: parentKeyIds },
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
      (em) => this.locks.lock(target, em, 'deleted'),
      async ({ key, account }, em) => {
        requireOpen(account);
        const isExposed = key.disableReason === 'exposed_publicly';
        if (isExposed && !confirmed)
          throw new DomainError('confirmation_required', {
            reasons:
              'The secret of this key was exposed: anyone who has found it could use it once it is enabled.',
          });
        await this.creation.requireRestorable(key, em);
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
      const key = await this.locks.find(target.keyId, em);
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
    return changing(target, (em) => this.locks.lock(target, em), edit);
  }

  private async make(work: ChangeWork): Promise<ChangeReceipt | null> {
    return (await this.changes.make(work)).receipt;
  }
}

function requireSelfDisabling(key: ApiKey, account: Account): void {
  if (mayHolderDisable(key.thirdPartyDisableAllowed, account.thirdPartyDisableAllowed)) return;
  const where = key.thirdPartyDisableAllowed === null ? 'its account' : 'the key';
  throw new DomainError('forbidden', {
    reason: `A holder of this key may not disable it: third_party_disable_allowed is false for ${where}.`,
  });
}
