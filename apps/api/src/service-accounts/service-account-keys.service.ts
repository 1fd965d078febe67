import { ApiKeySearchRepository } from '@app/database/repositories/api-key-search.repository';
import type { ApiKeyView } from '@app/database/repositories/api-key-view';
import { DomainError } from '@app/domain/errors';
import { missingToDelegate } from '@app/domain/permission-delegation';
import { Injectable } from '@nestjs/common';
import { AllowListTrialsService, RECENT_DAYS } from '../api-keys/allow-list-trials.service';
import { AllowListsService } from '../api-keys/allow-lists.service';
import { ApiKeyChangesService, keyNotFound, type KeyTarget } from '../api-keys/api-key-changes.service';
import { storedPermissions, type IssuedApiKey, type NewApiKey } from '../api-keys/api-keys.service';
import { isUuid } from '@app/domain/uuid';
import type { KeyEdit } from '../api-keys/key-settings';
import type { Caller } from '../http/caller';
import { byCaller } from './caller-actor';
import { ServiceAccountsService } from './service-accounts.service';

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

/**
 * Customers' own keys. What may be done is decided by the same services as for staff; here is only what is different: a
 * key reaches the keys of its own account, and gives no permission away that it does not have.
 */
@Injectable()
export class ServiceAccountKeysService {
  constructor(
    private readonly serviceAccounts: ServiceAccountsService,
    private readonly views: ApiKeySearchRepository,
    private readonly changes: ApiKeyChangesService,
    private readonly lists: AllowListsService,
    private readonly trials: AllowListTrialsService,
  ) {}

  /** The keys of service accounts, oldest first. */
  async listOf(serviceAccountIds: string[]): Promise<ApiKeyView[]> {
    return serviceAccountIds.length === 0 ? [] : this.views.listOfServiceAccounts(serviceAccountIds);
  }

  async list(caller: Caller, serviceAccountId: string): Promise<ApiKeyView[]> {
    const { id } = await this.serviceAccounts.get(caller, serviceAccountId);
    return this.listOf([id]);
  }

  async create(
    caller: Caller,
    serviceAccountId: string,
    input: Omit<NewApiKey, 'accountId' | 'serviceAccountId'>,
  ): Promise<IssuedApiKey> {
    const { id } = await this.serviceAccounts.get(caller, serviceAccountId);
    refuseEscalation(caller, input.permissions);
    const { accountId } = caller.key;
    return this.changes.create(byCaller(caller), { ...input, accountId, serviceAccountId: id }, null);
  }

  /** Makes the changes that are asked for: list, settings, enabled or disabled, each like one of staff. */
  async edit(caller: Caller, path: KeyPath, edit: CustomerKeyEdit): Promise<ApiKeyView> {
    const { allowedIps, enabled, ...settings } = edit;
    const key = await this.get(caller, path);
    const target = toTarget(caller, path);
    if (settings.permissions) refuseEscalation(caller, settings.permissions);
    if (allowedIps !== undefined) await this.replaceList(target, allowedIps);
    await this.changes.edit(target, settings);
    if (enabled === true && key.disableReason !== null) await this.changes.enable(target);
    if (enabled === false && key.disableReason === null) {
      await this.changes.disable(target, 'requested_by_customer');
    }
    return this.get(caller, path);
  }

  async delete(caller: Caller, path: KeyPath): Promise<void> {
    await this.get(caller, path);
    await this.changes.delete(toTarget(caller, path));
  }

  /** Disables the key that calls. */
  async disableSelf(caller: Caller): Promise<void> {
    const { keyId, accountId } = caller.key;
    const target = {
      actor: byCaller(caller),
      keyId,
      expected: 'any',
      reason: null,
      owner: { accountId },
    } as const;
    await this.changes.disable(target, 'self_disabled');
  }

  private async get(caller: Caller, { serviceAccountId, keyId }: KeyPath): Promise<ApiKeyView> {
    const { id } = await this.serviceAccounts.get(caller, serviceAccountId);
    const key = isUuid(keyId) ? await this.views.find(keyId) : null;
    if (key?.serviceAccountId !== id) throw keyNotFound(keyId);
    return key;
  }

  private async replaceList(
    { actor, keyId, expected }: KeyTarget,
    allowedIps: string[] | null,
  ): Promise<void> {
    const draft = this.trials.read({ entries: allowedIps && allowedIps.map((address) => ({ address })) });
    const trial = await this.trials.rehearse(keyId, draft, RECENT_DAYS);
    const reason = 'Changed by the customer';
    await this.lists.replace(
      { actor, keyId, expected, reason },
      { draft, trial, confirm: true, undoAfterMinutes: null },
    );
  }
}

function toTarget(caller: Caller, { serviceAccountId, keyId }: KeyPath): KeyTarget {
  const owner = { accountId: caller.key.accountId, serviceAccountId };
  return { actor: byCaller(caller), keyId, expected: 'any', reason: null, owner };
}

function refuseEscalation({ key }: Caller, wanted: readonly string[] | 'all'): void {
  const permission = missingToDelegate(key.permissions, storedPermissions(wanted));
  if (permission === null) return;
  throw new DomainError('insufficient_permissions', { permission }, { param: 'permissions' });
}
