import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { DomainError } from '@app/domain/errors';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { effectiveKeyStatus, keyStatus } from '@app/domain/keys/key-status';
import { describeRetiring, planRotation, secretState } from '@app/domain/keys/secret-rotation';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiKeysService } from './api-keys.service';
import { PolicyRulesService } from './policy-rules.service';
import { requireOpen, type LockedKey } from './key-locks';

/** The secrets of a key: a new one, and the end of the one before it. */
@Injectable()
export class KeySecrets {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly issuing: ApiKeysService,
    private readonly rules: PolicyRulesService,
    private readonly webhooks: WebhookEvents,
  ) {}

  /** Gives a locked key a new secret; the old one works for `overlapDays` more. */
  async rotate(
    { key, account }: LockedKey,
    overlapDays: number,
    em: EntityManager,
  ): Promise<{ secret: string; after: object }> {
    requireOpen(account);
    const now = new Date();
    const status = keyStatus(key, now);
    if (status === 'expired')
      throw new DomainError('key_expired', { expiresAt: key.expiresAt!.toISOString() });
    await this.rules.requireRotatable(key.expiresAt, account, now, em);
    const plan = planRotation(await this.keys.listSecrets(key.id, em), overlapDays, now);
    if (!plan.ok) {
      const works = effectiveKeyStatus(status, account.status) === 'enabled';
      const old = describeRetiring(plan.retiring, key.expiresAt, works);
      throw new DomainError('rotation_in_progress', { old }, { param: 'overlap_days' });
    }
    const { secret, stored } = this.issuing.newSecret(key.id, plan.number, now);
    await this.keys.retireSecrets(key.id, { at: plan.retiresAt }, em);
    await this.keys.insertSecret(stored, em);
    await this.webhooks.keyRotated({ ...key, retiresAt: plan.retiresAt }, em);
    return {
      secret,
      after: { secret_number: plan.number, hint: stored.maskedSecret, old_retires_at: plan.retiresAt },
    };
  }

  /** Ends the overlap of a rotation now. */
  async endRotation(keyId: string, em: EntityManager): Promise<{ before: object; after: object }> {
    const now = new Date();
    const secrets = await this.keys.listSecrets(keyId, em);
    const old = secrets.find((secret) => secretState(secret, now) === 'retiring');
    if (!old) throw new DomainError('no_old_secret');
    await this.keys.retireSecrets(keyId, { at: now, except: secrets[0]!.number }, em);
    const before = { secret_number: old.number, hint: old.maskedSecret, retires_at: old.retiresAt };
    return { before, after: { retires_at: now } };
  }
}
