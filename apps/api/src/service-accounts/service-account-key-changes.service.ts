import { Injectable } from '@nestjs/common';
import { requireAccepted } from '@app/administration/allow-lists/allow-list-draft';
import { AllowListDryRunsService } from '@app/administration/allow-lists/allow-list-dry-runs.service';
import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import { ApiKeyChangesService, type KeyTarget } from '@app/administration/keys/api-key-changes.service';
import type { IssuedApiKey, NewApiKey } from '@app/administration/keys/api-keys.service';
import { AuditedChanges, inOrder, type ChangeWork } from '@app/administration/audit/audited-changes';
import type { KeyEdit } from '@app/administration/keys/key-settings';
import type { Caller } from '@app/domain/keys/caller';
import { byCaller } from '@app/administration/audit/audit-actors';
import { KeyReachService } from './key-reach.service';

/** What a customer changes of a key; undefined leaves it as it is. */
export interface CustomerKeyEdit extends KeyEdit {
  allowedIps?: string[] | null;
  enabled?: boolean;
}

/** Whose key, and which: what stands in the path. */
export interface KeyPath {
  serviceAccountId: string;
  keyId: string;
}

/** Changes that a key makes to keys of its account: each in one transaction, and none to a key that is freer than itself. */
@Injectable()
export class ServiceAccountKeyChangesService {
  constructor(
    private readonly transaction: AuditedChanges,
    private readonly reach: KeyReachService,
    private readonly changes: ApiKeyChangesService,
    private readonly lists: AllowListsService,
    private readonly dryRuns: AllowListDryRunsService,
  ) {}

  async create(caller: Caller, input: Omit<NewApiKey, 'accountId' | 'makerIds'>): Promise<IssuedApiKey> {
    const { accountId } = caller.key;
    const { result } = await this.transaction.make(async (em) => {
      const makerIds = await this.reach.requireCreatable(caller, input, em);
      return this.changes.creating(byCaller(caller), { ...input, accountId, makerIds }, null)(em);
    });
    return result;
  }

  /** Changes list, settings and state as far as they are given, all of them or none. */
  async edit(caller: Caller, path: KeyPath, edit: CustomerKeyEdit): Promise<void> {
    const { allowedIps, enabled, ...settings } = edit;
    const target = toTarget(caller, path);
    await this.transaction.make(async (em) => {
      const key = await this.reach.requireChangeable(caller, path.keyId, edit, em);
      const disabled = key.disableReason !== null;
      const works = [
        allowedIps !== undefined && this.replacingList(target, allowedIps),
        this.changes.editing(target, settings),
        enabled === true && disabled && this.changes.enabling(target),
        enabled === false && !disabled && this.changes.disabling(target, 'requested_by_customer'),
      ];
      return inOrder(works.filter((work) => work !== false))(em);
    });
  }

  async delete(caller: Caller, path: KeyPath): Promise<void> {
    await this.transaction.make(async (em) => {
      await this.reach.requireChangeable(caller, path.keyId, {}, em);
      return this.changes.deleting(toTarget(caller, path))(em);
    });
  }

  private replacingList({ actor, keyId, expected }: KeyTarget, allowedIps: string[] | null): ChangeWork {
    const draft = this.dryRuns.read({ entries: allowedIps && allowedIps.map((address) => ({ address })) });
    if (draft) requireAccepted(draft);
    const target = { actor, keyId, expected, reason: 'Changed by the customer' };
    return this.lists.replacing(target, { draft, dryRun: null, undoAfterMinutes: null });
  }
}

function toTarget(caller: Caller, { serviceAccountId, keyId }: KeyPath): KeyTarget {
  const owner = { accountId: caller.key.accountId, serviceAccountId };
  return { actor: byCaller(caller), keyId, expected: 'any', reason: null, owner };
}
