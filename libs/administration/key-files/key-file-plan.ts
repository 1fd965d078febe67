import type { Account } from '@app/database/accounts/account.entity';
import type { StoredFileKey } from '@app/database/keys/key-file.repository';
import type { EntityManager } from 'typeorm';
import type { Change, ChangeWork } from '../audit/audited-changes';
import type { AuditActor } from '../audit/audit-actors';
import type { ChangeRequest } from '../audit/locked-change';
import { FieldProblem, quoted, type EntryChange, type FieldPath, type PartPlan } from './file-part';
import type { FileAccount, FileKey } from './key-file';

export type FileKind = 'account' | 'key' | 'webhook' | 'rule' | 'budget' | 'voice';

/** A setting that a person, or a process of ours, has changed outside of the file since it was applied. */
export interface Drift {
  field: string;
  by: string;
  at: string;
  reason: string | null;
}

export interface PlannedChange extends EntryChange<FileKind> {
  drift: Drift[];
  /** What has to be confirmed. */
  warnings: string[];
}

/** What a file does to one account: all of it in one transaction. */
export interface AccountPlan<C extends PlannedChange = PlannedChange> {
  accountId: string;
  account: string;
  changes: C[];
  unchanged: number;
  /** What stays as it is although the file says otherwise, and why. */
  notes: string[];
}

/** What a file would change, account by account. */
export interface KeyFilePlan<C extends PlannedChange = PlannedChange> {
  file: string;
  accounts: AccountPlan<C>[];
}

/** A secret of a key or a webhook that was just created. */
export interface NewFileSecret {
  kind: 'key' | 'webhook';
  account: string;
  accountId: string;
  name: string;
  id: string;
  secret: string;
}

/** A transaction that changes an account as a file says. */
export interface Applying {
  em: EntityManager;
  request: { actor: AuditActor; reason: string };
  /** Of what the transaction has created until now. */
  secrets: NewFileSecret[];
}

export type MakeChange = (applying: Applying) => Promise<Change<unknown>[]>;
export type FilePlan = PartPlan<FileKind, MakeChange>;

/** An account, with what a file says of it. */
export interface FileScope {
  file: string;
  account: Account;
  /** Null for an account that the file no longer names. */
  input: FileAccount | null;
  /** The way to the account in the file. */
  at: FieldPath;
  /** Its keys that the file names or manages. */
  keys: StoredFileKey[];
}

/** A key that a rule or a budget is for: an id, or the name of one that the file creates. */
export type KeyReference = { id: string } | { name: string } | null;

/** The key that a rule or a budget names, among those of the file. */
export function keyOf(key: string | null, { input, keys: stored }: FileScope, path: FieldPath): KeyReference {
  if (key === null) return null;
  const keys: readonly FileKey[] = input?.keys ?? [];
  const named = keys.find(({ id, name }) => id === key || name === key);
  if (!named) {
    const names = keys.map(({ name }) => quoted(name)).join(', ');
    const message = `No key of the account in this file has this id or name (given: ${quoted(key)}; accepted: ${names.slice(0, 400) || 'there is none'}).`;
    throw new FieldProblem([...path, 'key'], message);
  }
  if (named.id !== undefined) return { id: named.id };
  const found = stored.find(({ name }) => name === named.name);
  return found ? { id: found.id } : { name: named.name };
}

/** The id of a key: one that this transaction creates is found among the new secrets. */
export function keyIdOf(key: KeyReference, secrets: readonly NewFileSecret[]): string | null {
  if (key === null) return null;
  if ('id' in key) return key.id;
  return secrets.find(({ kind, name }) => kind === 'key' && name === key.name)!.id;
}

/** The key or the webhook that a file means: by its id, or else by its name; null when it is to be created. */
export function findMeant<T extends { id: string; name: string; managedBy: string | null }>(
  kind: 'key' | 'webhook',
  file: string,
  { id, name }: { id?: string; name: string },
  resources: readonly T[],
  path: FieldPath,
): T | null {
  const named = resources.filter((resource) => resource.name === name);
  const managed = named.filter(({ managedBy }) => managedBy === file);
  const candidates =
    id === undefined
      ? managed.length > 0
        ? managed
        : named
      : resources.filter((resource) => resource.id === id);
  if (id !== undefined && candidates.length === 0) {
    const message = `The account has no ${kind} ${quoted(id)}. Leave the id out to create one.`;
    throw new FieldProblem([...path, 'id'], message);
  }
  if (candidates.length > 1) {
    const ids = candidates.map((each) => each.id).join(', ');
    const message = `The account has ${candidates.length} ${kind}s with this name: add the id of the one that is meant (${ids.slice(0, 400)}), or choose another name.`;
    throw new FieldProblem([...path, 'name'], message);
  }
  const present = candidates[0] ?? null;
  if (present?.managedBy && present.managedBy !== file) {
    const message = `The ${kind} is managed by another file of keys, ${quoted(present.managedBy)}: release it there first.`;
    throw new FieldProblem(path, message);
  }
  return present;
}

/** One change. */
export function making(workOf: (applying: Applying) => ChangeWork<unknown>): MakeChange {
  return async (applying) => [await workOf(applying)(applying.em)];
}

/**
 * Changes of the same resource, one after the other: the first is based on the version of the plan, and the others on the one
 * before them.
 */
export async function makeInTurn<T extends ChangeRequest>(
  works: readonly (((target: T) => ChangeWork) | false)[],
  target: T,
  em: EntityManager,
): Promise<Change<unknown>[]> {
  const changes: Change<unknown>[] = [];
  for (const work of works)
    if (work) changes.push(await work(changes.length === 0 ? target : { ...target, expected: 'any' })(em));
  return changes;
}
