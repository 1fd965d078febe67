import type { ApiKeyView } from '@app/database/keys/api-key-view';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import { Injectable } from '@nestjs/common';
import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import { ApiKeyChangesService } from '@app/administration/keys/api-key-changes.service';
import type { KeyTarget } from '@app/administration/keys/key-locks';
import type { IssuedApiKey, NewApiKey } from '@app/administration/keys/api-keys.service';
import {
  AuditedChanges,
  inOrder,
  thenRead,
  type ChangeWork,
} from '@app/administration/audit/audited-changes';
import type { KeyEdit } from '@app/administration/keys/key-settings';
import type { Caller } from '@app/domain/keys/caller';
import { byCaller } from '@app/administration/audit/audit-actors';
import { KeyScopeService, type KeyPath } from './key-scope.service';
import { ServiceAccountsService } from './service-accounts.service';

/** What a customer changes of a key; undefined leaves it as it is. */
export interface CustomerKeyEdit extends KeyEdit {
  allowedIps?: string[] | null;
  enabled?: boolean;
}

/** What a customer gives a new key. */
type NewCustomerKey = Omit<NewApiKey, 'accountId' | 'serviceAccountId' | 'parentKeyIds'>;

/** Changes that a key makes to keys of its account: each in one transaction, and none to a key that is freer than itself. */
@Injectable()
export class ServiceAccountKeyChangesService {
  constructor(
    private readonly transaction: AuditedChanges,
    private readonly scope: KeyScopeService,
    private readonly changes: ApiKeyChangesService,
    private readonly lists: AllowListsService,
    private readonly serviceAccounts: ServiceAccountsService,
  ) {}

  async create(caller: Caller, serviceAccountId: string, requested: NewCustomerKey): Promise<IssuedApiKey> {
    const { accountId } = caller.key;
    const { result } = await this.transaction.make(async (em) => {
      const { id } = await this.serviceAccounts.get(caller, serviceAccountId, em);
      const parentKeyIds = await this.scope.requireCreatable(caller, requested, em);
      const input = { ...requested, accountId, serviceAccountId: id, parentKeyIds };
      return this.changes.creating(byCaller(caller), input, null)(em);
    });
    return result;
  }

  /** Changes those of list, settings and state that are requested, all of them or none. */
  async edit(caller: Caller, path: KeyPath, edit: CustomerKeyEdit): Promise<ApiKeyView> {
    const { result } = await this.transaction.make(async (em) => {
      const key = await this.scope.requireChangeable(caller, path, edit, em);
      const edited = inOrder(this.editing(toTarget(caller, path), key, edit));
      return thenRead(edited, () => this.scope.get(caller, path, em))(em);
    });
    return result;
  }

  async delete(caller: Caller, path: KeyPath): Promise<void> {
    await this.transaction.make(async (em) => {
      await this.scope.requireChangeable(caller, path, {}, em);
      return this.changes.deleting(toTarget(caller, path))(em);
    });
  }

  /** Disables the key that calls. */
  async disableSelf(caller: Caller): Promise<void> {
    const { keyId, accountId } = caller.key;
    const target = { actor: byCaller(caller), keyId, expected: 'any', reason: null } as const;
    await this.changes.disable({ ...target, owner: { accountId } }, 'self_disabled');
  }

  private editing(
    target: KeyTarget,
    { disableReason }: ApiKey,
    { allowedIps, enabled, ...settings }: CustomerKeyEdit,
  ): ChangeWork[] {
    const disabled = disableReason !== null;
    const works = [
      allowedIps !== undefined && this.replacingList(target, allowedIps),
      this.changes.editing(target, settings),
      enabled === true && disabled && this.changes.enabling(target),
      enabled === false && !disabled && this.changes.disabling(target, 'requested_by_customer'),
    ];
    return works.filter((work) => work !== false);
  }

  private replacingList({ actor, keyId, expected }: KeyTarget, allowedIps: string[] | null): ChangeWork {
    const owner = { kind: 'key' as const, id: keyId };
    const target = { actor, owner, expected, reason: 'Changed by the customer' };
    return this.lists.replacing(target, {
      entries: allowedIps && allowedIps.map((address) => ({ address })),
    });
  }
}

function toTarget(caller: Caller, { serviceAccountId, keyId }: KeyPath): KeyTarget {
  const owner = { accountId: caller.key.accountId, serviceAccountId };
  return { actor: byCaller(caller), keyId, expected: 'any', reason: null, owner };
}
