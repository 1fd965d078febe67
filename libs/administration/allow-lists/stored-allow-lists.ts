import type { Account } from '@app/database/accounts/account.entity';
import { accountNotFound, AccountRepository } from '@app/database/accounts/account.repository';
import {
  AllowListRepository,
  type ListedEntry,
  type ListOwner,
} from '@app/database/keys/allow-list.repository';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { FormerEntry } from '@app/database/keys/former-entry';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import { compileAllowList } from '@app/domain/allow-lists/allow-list';
import { mayPlaceAllowList } from '@app/domain/allow-lists/allow-list-entitlement';
import { isUuid } from '@app/domain/common/uuid';
import type { DomainError } from '@app/domain/errors';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import type { ChangeRequest, Locked } from '../audit/locked-change';

/** The list of a key or an account with everything that is known of it. */
export interface AllowListView {
  owner: ListOwner & { name: string };
  version: number;
  entries: ListedEntry[] | null;
  status: 'no_list' | 'enforced' | 'corrupt';
  account: Account;
  /** Whether entries may be added: only what lets in new addresses needs the entitlement. */
  mayAdd: boolean;
  undo: { entries: ListedEntry[] | null; changedBy: string; changedAt: Date; dueAt: Date | null } | null;
}

/** Which list a change is about, and who makes it. */
export interface ListTarget extends ChangeRequest {
  owner: ListOwner;
}

/** What a change stores: the list, and when it is undone unless it is kept. */
export interface ListPatch {
  entries: ListedEntry[] | null;
  dueAt: Date | null;
}

/** A list, locked with its owner until the transaction ends. */
export interface LockedList {
  /** Null for the list of an account. */
  key: ApiKey | null;
  account: Account;
  present: ListedEntry[] | null;
}

/** The allow-lists of keys and accounts as they are stored: to be read, or locked for a change. */
@Injectable()
export class StoredAllowLists {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly accounts: AccountRepository,
    private readonly lists: AllowListRepository,
    private readonly undos: KeyUndoRepository,
  ) {}

  /** @throws DomainError when there is no such key or account */
  async read(owner: ListOwner): Promise<AllowListView> {
    const { id, kind } = owner;
    const key = kind === 'key' && isUuid(id) ? await this.keys.find(id) : null;
    const account = await this.accounts.find(key?.accountId ?? (kind === 'account' ? id : ''));
    if (!account) throw notFound(owner);
    const { name, allowedIps, version } = key ?? account;
    const entries = allowedIps && (await this.lists.listEntries(id, allowedIps));
    const undo = await this.undos.find(id, 'allowed_ips');
    return {
      owner: { ...owner, name },
      version,
      entries,
      status: statusOf(allowedIps),
      account,
      mayAdd: mayPlaceAllowList(account),
      undo: undo && { ...undo, entries: entriesBefore(undo) },
    };
  }

  /** Locks a list with its owner until the transaction ends. */
  async lock(target: ListTarget, em: EntityManager): Promise<Locked<LockedList, ListPatch>> {
    return target.owner.kind === 'key' ? this.lockOfKey(target, em) : this.lockOfAccount(target, em);
  }

  private async lockOfKey(
    { owner, actor }: ListTarget,
    em: EntityManager,
  ): Promise<Locked<LockedList, ListPatch>> {
    const key = isUuid(owner.id) ? await this.keys.lock(owner.id, em) : null;
    const account = key && (await this.accounts.find(key.accountId, em));
    if (!account) throw notFound(owner);
    const present = key.allowedIps && (await this.lists.listEntries(key.id, key.allowedIps, em));
    return {
      resource: { key, account, present },
      version: key.version,
      auditTarget: { type: 'api_key', id: key.id, accountId: key.accountId },
      save: async (patch) => {
        await this.keys.update(key.id, { allowedIps: textsOf(patch) }, em);
        await this.saveEntries(key.id, actor, present, patch, em);
      },
      announce: { keyId: key.id },
    };
  }

  private async lockOfAccount(
    { owner, actor }: ListTarget,
    em: EntityManager,
  ): Promise<Locked<LockedList, ListPatch>> {
    const account = await this.accounts.lock(owner.id, em);
    const { id, version, allowedIps } = account;
    const present = allowedIps && (await this.lists.listEntries(id, allowedIps, em));
    return {
      resource: { key: null, account, present },
      version,
      auditTarget: { type: 'account', id, accountId: id },
      save: async (patch) => {
        await this.accounts.update(id, { allowedIps: textsOf(patch) }, em);
        await this.saveEntries(id, actor, present, patch, em);
      },
      announce: { accountId: id },
    };
  }

  /** Stores what is known of the entries, and the list before them for an undo. */
  private async saveEntries(
    ownerId: string,
    actor: AuditActor,
    present: ListedEntry[] | null,
    { entries, dueAt }: ListPatch,
    em: EntityManager,
  ): Promise<void> {
    await this.lists.replaceEntries(ownerId, entries ?? [], em);
    const undo = { before: present && present.map(toFormer), changedBy: actor.name, changedAt: new Date() };
    await this.undos.save([{ subjectId: ownerId, setting: 'allowed_ips', ...undo, dueAt }], em);
  }
}

export function entriesBefore({ before }: KeyUndo): ListedEntry[] | null {
  return before === null ? null : (before as FormerEntry[]).map(fromFormer);
}

function notFound({ kind, id }: ListOwner): DomainError {
  return kind === 'key' ? keyNotFound(id) : accountNotFound(id);
}

function textsOf({ entries }: ListPatch): string[] | null {
  return entries && entries.map(({ cidr }) => cidr);
}

function statusOf(allowedIps: string[] | null): AllowListView['status'] {
  if (allowedIps === null) return 'no_list';
  return compileAllowList(allowedIps).corrupt === null ? 'enforced' : 'corrupt';
}

function toFormer({ endsAt, addedAt, ...entry }: ListedEntry): FormerEntry {
  return { ...entry, endsAt: endsAt?.toISOString() ?? null, addedAt: addedAt?.toISOString() ?? null };
}

function fromFormer({ endsAt, addedAt, ...entry }: FormerEntry): ListedEntry {
  return {
    ...entry,
    endsAt: endsAt === null ? null : new Date(endsAt),
    addedAt: addedAt === null ? null : new Date(addedAt),
  };
}
