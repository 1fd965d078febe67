import { Alerts } from '@app/alerts/alerts';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { ApiKeyFilter } from '@app/database/keys/api-key-filter';
import { ApiKeySearchRepository, EXACT_COUNT_LIMIT } from '@app/database/keys/api-key-search.repository';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { DisableReason } from '@app/domain/keys/disable-reasons';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { BulkKeyChangeRepository } from '@app/database/keys/bulk-key-change.repository';
import type { AuditActor } from '@app/administration/audit/audit-actors';
import { toBatchEvents } from '@app/administration/audit/batch-events';
import { randomUUID } from 'node:crypto';
import { ApiKeySearchService } from './api-key-search.service';
import { AuditedChanges } from '@app/administration/audit/audited-changes';

/** Keys of one change: what can be counted, and a transaction can still hold. */
const MAX_KEYS = EXACT_COUNT_LIMIT;

interface DisableMany {
  disableReason: DisableReason;
  reason: string;
  /** The number of keys that the staff member has read and typed. */
  confirm: string;
  /** When it is undone unless it is kept; null for never. */
  dueAt: Date | null;
}

interface DisabledMany {
  disabled: number;
  /** What can be undone; null when no key was disabled. */
  changeId: string | null;
  receipt: ChangeReceipt | null;
}

/** What concerns every key that matches a filter. */
@Injectable()
export class BulkChangesService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly search: ApiKeySearchService,
    private readonly views: ApiKeySearchRepository,
    private readonly keys: ApiKeyRepository,
    private readonly bulkChanges: BulkKeyChangeRepository,
    private readonly alerts: Alerts,
  ) {}

  /** How many keys would be disabled: those that match and are not disabled yet. */
  async countToDisable(filter: ApiKeyFilter): Promise<number> {
    const count = await this.views.count(notDisabled(filter));
    if (count > MAX_KEYS) throw tooMany();
    return count;
  }

  /** Disables every key that matches, if they are still as many as were confirmed; else none. */
  async disable(
    actor: AuditActor,
    filter: ApiKeyFilter,
    { disableReason, reason, confirm, dueAt }: DisableMany,
  ): Promise<DisabledMany> {
    const { result, receipt } = await this.changes.make(async (em) => {
      const ids = await this.views.listIds(notDisabled(filter), MAX_KEYS + 1, em);
      if (ids.length > MAX_KEYS) throw tooMany();
      if (String(ids.length) !== confirm.trim()) {
        const params = { count: ids.length, confirmed: confirm.trim() };
        throw new DomainError('selection_changed', params, { param: 'confirm' });
      }
      const disabled = await this.keys.disableAll(ids, disableReason, em);
      await this.alerts.keysDisabled(disabled, disableReason, em);
      const keyIds = disabled.map((key) => key.id);
      const changeId = randomUUID();
      if (keyIds.length > 0) {
        const keyVersions = disabled.map((key) => key.version);
        const made = { changedBy: actor.name, changedAt: new Date(), undoneAt: null, undoneBy: null };
        const change = { id: changeId, keyIds, keyVersions, disableReason, reason, dueAt, ...made };
        await this.bulkChanges.insert(change, em);
      }
      const events = toBatchEvents(
        keyIds,
        {
          actor,
          action: 'keys.disabled',
          target: { type: 'api_keys', id: changeId, accountId: filter.accountId },
          after: { disable_reason: disableReason, filter, ...(dueAt && { undo_due_at: dueAt }) },
          reason,
        },
        'key_ids',
      );
      const result = { disabled: keyIds.length, changeId: keyIds.length > 0 ? changeId : null };
      return { result, events, ...(keyIds.length > 0 && { announce: { keyIds } }) };
    });
    return { ...result, receipt };
  }

  /** Every key that matches. The export is an event itself. */
  async export(actor: AuditActor, filter: ApiKeyFilter): Promise<AsyncGenerator<ApiKeyView>> {
    await this.changes.record({
      actor,
      action: 'keys.exported',
      target: { type: 'api_keys', id: 'export', accountId: filter.accountId },
      after: { filter },
    });
    return this.search.stream(filter);
  }
}

function notDisabled(filter: ApiKeyFilter): ApiKeyFilter {
  return { ...filter, disabled: false };
}

function tooMany(): DomainError {
  const reason = `More than ${MAX_KEYS} keys match; no more can be changed at once. Narrow the filter.`;
  return new DomainError('invalid_parameters', { reason });
}
