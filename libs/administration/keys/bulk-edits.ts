import { Alerts } from '@app/alerts/alerts';
import { CreditBalances } from '@app/credits/credit-balances';
import { ApiKeyRepository, type ApiKeyPatch, type UpdatedKey } from '@app/database/keys/api-key.repository';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import { keyField, UNDONE_FIELDS } from '@app/domain/keys/key-fields';
import type { BulkAction, BulkEdit } from '@app/domain/keys/bulk-edit';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A locked key, and what the edit replaces or has replaced. */
interface EditedKey {
  id: string;
  before: unknown;
}

/** The columns that undoing an edit restores. */
const DISABLING = ['disable_reason', 'disabled_at', 'disabled_by_customer'] as const;

/** What the edits of many keys do to them, and how each is undone. The caller has locked the keys. */
@Injectable()
export class BulkEdits {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly credits: CreditBalances,
    private readonly alerts: Alerts,
    private readonly undos: KeyUndoRepository,
  ) {}

  /** Makes an edit; returns the keys with their new versions. */
  async apply(edit: BulkEdit, keys: EditedKey[], by: string, em: EntityManager): Promise<UpdatedKey[]> {
    const ids = keys.map(({ id }) => id);
    if (edit.action === 'set_credit_limit') {
      const creditLimit = edit.value;
      await this.credits.setLimits(
        ids.map((subjectId) => ({ subjectId, creditLimit })),
        em,
      );
    }
    const updated = isTagging(edit)
      ? await this.keys.tagAll(ids, edit.value, edit.action === 'add_tag' ? 'add' : 'remove', em)
      : await this.keys.updateAll(ids, patchOf(edit), em);
    if (edit.action === 'disable') await this.alerts.keysDisabled(updated, edit.value, em);
    await this.rememberBefore(edit.action, keys, by, em);
    return updated;
  }

  /** Restores what an edit has replaced. */
  async restore(edit: BulkEdit, keys: EditedKey[], by: string, em: EntityManager): Promise<void> {
    const { action, value } = edit;
    const ids = keys.map(({ id }) => id);
    if (action === 'add_tag') await this.keys.tagAll(ids, value, 'remove', em);
    if (action === 'remove_tag') await this.keys.tagAll(ids, value, 'add', em);
    if (action === 'disable') await this.keys.updateAll(ids, ENABLED, em);
    if (action === 'enable')
      await this.keys.restoreAll(keys as { id: string; before: object }[], DISABLING, em);
    if (action === 'set_expiry') {
      const former = keys.map(({ id, before }) => ({ id, before: { expires_at: before } }));
      await this.keys.restoreAll(former, ['expires_at'], em);
    }
    if (action === 'set_credit_limit') {
      const limits = keys.map(({ id, before }) => ({ subjectId: id, creditLimit: before as number | null }));
      await this.credits.setLimits(limits, em);
      await this.keys.updateAll(ids, {}, em);
    }
    await this.rememberBefore(
      action,
      ids.map((id) => ({ id, before: value })),
      by,
      em,
    );
  }

  /** The setting of a single key can be undone, too; what was to be undone before is not any more. */
  private async rememberBefore(
    action: BulkAction,
    keys: EditedKey[],
    by: string,
    em: EntityManager,
  ): Promise<void> {
    const setting = UNDONE_FIELDS.find((name) => keyField(name).bulk === action);
    if (!setting || keys.length === 0) return;
    const created = { setting, changedBy: by, changedAt: new Date(), dueAt: null };
    await this.undos.save(
      keys.map(({ id, before }) => ({ ...created, subjectId: id, before })),
      em,
    );
  }
}

function isTagging(edit: BulkEdit): edit is Extract<BulkEdit, { action: 'add_tag' | 'remove_tag' }> {
  return edit.action === 'add_tag' || edit.action === 'remove_tag';
}

const ENABLED: ApiKeyPatch = { disableReason: null, disabledAt: null, disabledByCustomer: false };

function patchOf(edit: BulkEdit): ApiKeyPatch {
  if (edit.action === 'enable') return ENABLED;
  if (edit.action === 'disable')
    return { disableReason: edit.value, disabledAt: new Date(), disabledByCustomer: false };
  if (edit.action === 'set_expiry') return { expiresAt: edit.value === null ? null : new Date(edit.value) };
  return {};
}
