import { CreditBalances } from '@app/credits/credit-balances';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import { ApiKeyRepository, type ApiKeyPatch } from '@app/database/keys/api-key.repository';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import type { KeySettings } from '@app/domain/keys/key-fields';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { difference } from '../audit/locked-change';
import { requireFreeExternalId } from './api-keys.service';
import { PolicyRulesService } from './policy-rules.service';
import { requireOpen, type KeyTarget, type LockedKey } from './key-locks';
import { auditable, settingsOf, undosOf } from './key-settings';

/** The settings of a key, its limit of credits among them, and what they were before. */
@Injectable()
export class KeySettingsStore {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly credits: CreditBalances,
    readonly undos: KeyUndoRepository,
    private readonly rules: PolicyRulesService,
  ) {}

  /** The one way to other settings, by an edit and by its undo: stores those that differ, and what they were; null when none does. */
  async store(
    { actor }: KeyTarget,
    { key, account }: LockedKey,
    requested: Partial<KeySettings>,
    dueAt: Date | null,
    em: EntityManager,
  ): Promise<{ patch: ApiKeyPatch; before: object; after: object } | null> {
    requireOpen(account);
    const present = { ...key, secretCreatedAt: async () => this.secretCreatedAt(key, em) };
    await this.rules.requireEdit(requested, account, present, em);
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

  /** Detaches a key from the key that created it, and its credits from that key's. */
  async detach(keyId: string, em: EntityManager): Promise<void> {
    await this.keys.detach(keyId, em);
    await this.credits.detach(keyId, em);
  }

  private async secretCreatedAt(key: ApiKey, em: EntityManager): Promise<Date> {
    const [newest] = await this.keys.listSecrets(key.id, em);
    return newest?.createdAt ?? key.createdAt;
  }
}
