import type { Account } from '@app/database/accounts/account.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { inOneTrip } from '@app/database/common/one-trip';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import { ApiKeyRepository, type ApiKeyPatch } from '@app/database/keys/api-key.repository';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditEntry } from '../audit/audit-log';
import type { ChangeRequest, Locked } from '../audit/locked-change';

/** Which key a change is about, and who makes it. */
export interface KeyTarget extends ChangeRequest {
  keyId: string;
  /** Whose key it must be; staff may change every account's. */
  owner?: { accountId: string; serviceAccountId?: string };
}

/** A locked key, and its account. */
export interface LockedKey {
  key: ApiKey;
  account: Account;
}

/** Locks keys for a change. */
@Injectable()
export class KeyLocks {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly accounts: AccountRepository,
  ) {}

  /** A key without a lock; null for an id that no key has. */
  async find(keyId: string, em: EntityManager): Promise<ApiKey | null> {
    return isUuid(keyId) ? this.keys.find(keyId, em) : null;
  }

  /** Locks a key with its account until the transaction ends. */
  async lock(
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
}

function isOwnedBy(key: ApiKey, owner: { accountId: string; serviceAccountId?: string }): boolean {
  const { accountId, serviceAccountId } = owner;
  return (
    key.accountId === accountId &&
    (serviceAccountId === undefined || key.serviceAccountId === serviceAccountId)
  );
}

export function requireOpen(account: Account): void {
  if (account.status === 'closed') throw new DomainError('account_closed');
}

export function auditTarget({ id, accountId }: { id: string; accountId: string }): AuditEntry['target'] {
  return { type: 'api_key', id, accountId };
}
