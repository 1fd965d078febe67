import { Alerts } from '@app/alerts/alerts';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { IdleKeyRepository } from '@app/database/key-policies/idle-key.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { bySystem } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { toBatchEvents } from '../audit/batch-events';
import { ApiKeyChangesService } from './api-key-changes.service';
import { AppliedChangesService } from './applied-changes.service';

/** Keys of one round: a contact gets one message about all of them. */
const BATCH = 1_000;

/** The disable reason of keys that their policy has ended. */
const IDLE = 'idle';
const ACTOR = bySystem('idle-keys');

/**
 * Ends keys that are not used, as the policies of tiers and accounts say: people are warned, then the keys are disabled. What
 * is disabled in one round is one change of many keys, which can be undone as a whole.
 */
@Injectable()
export class IdleKeysService {
  constructor(
    private readonly idle: IdleKeyRepository,
    private readonly keys: ApiKeyRepository,
    private readonly keyChanges: ApiKeyChangesService,
    private readonly created: AppliedChangesService,
    private readonly changes: AuditedChanges,
    private readonly alerts: Alerts,
  ) {}

  /** Looks once at every key; what was done, and whether there is more to do at once. Several processes do each once. */
  async check(): Promise<{ warned: number; disabled: number; isMore: boolean }> {
    await this.enableUsed();
    const warned = await this.warn();
    const disabled = await this.disable();
    return { warned, disabled, isMore: warned === BATCH || disabled === BATCH };
  }

  private async warn(): Promise<number> {
    const { result } = await this.changes.make(async (em) => {
      await this.idle.cleanUp(em);
      const warned = await this.idle.warn(BATCH, em);
      const notices = warned.map(({ keyId, accountId, lastUsedAt, idleSince, disablesAt }) => ({
        kind: 'idle_warning' as const,
        accountId,
        keyId,
        period: `${idleSince.toISOString()} until ${disablesAt?.toISOString() ?? 'used'}`,
        data: {
          last_used_at: lastUsedAt?.toISOString() ?? null,
          disables_at: disablesAt?.toISOString() ?? null,
        },
      }));
      if (notices.length > 0) await this.alerts.noticeAll(em, notices);
      return { result: warned.length, events: [] };
    });
    return result;
  }

  /** Decides with the last use of each key locked: a key that is being used is not among them. */
  private async disable(): Promise<number> {
    const { result } = await this.changes.make(async (em) => {
      const due = await this.idle.lockDue(BATCH, em);
      if (due.length === 0) return { result: 0, events: [] };
      const patch = { disableReason: IDLE, disabledAt: new Date(), disabledByCustomer: false } as const;
      const disabled = await this.keys.updateAll(due, patch, em);
      const keyIds = disabled.map(({ id }) => id);
      await this.idle.markDisabled(keyIds, em);
      await this.alerts.keysDisabled(disabled, IDLE, em);
      const reason = 'Not used since people were warned, as the key policy says';
      const id = randomUUID();
      const change = {
        id,
        edit: { action: 'disable', value: IDLE } as const,
        filter: {},
        reason,
        dueAt: null,
      };
      const changed = disabled.map((key) => ({ id: key.id, version: key.version, before: null }));
      await this.created.record(ACTOR, change, changed, em);
      const events = toBatchEvents(
        keyIds,
        {
          actor: ACTOR,
          action: 'keys.disabled',
          target: { type: 'api_keys', id },
          after: { disable_reason: IDLE },
          reason,
        },
        'key_ids',
      );
      return { result: due.length, events, announce: { keyIds } };
    });
    return result;
  }

  /** A process writes uses down a moment after they happened: a key whose last one came to light too late works again. */
  private async enableUsed(): Promise<void> {
    const reason = 'It was used before it was disabled';
    for (const keyId of await this.idle.listUsedAfterAll(BATCH))
      await this.keyChanges
        .enable({ actor: ACTOR, keyId, expected: 'any', reason }, IDLE)
        .catch((error: unknown) => {
          // Another process, or a person, was there first.
          if (!(error instanceof DomainError)) throw error;
        });
  }
}
