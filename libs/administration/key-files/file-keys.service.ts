import type { Account } from '@app/database/accounts/account.entity';
import type { ServiceAccount } from '@app/database/accounts/service-account.entity';
import { ServiceAccountRepository } from '@app/database/accounts/service-account.repository';
import type { KeyPolicy } from '@app/database/key-policies/key-policy.entity';
import { KeyPolicyRepository } from '@app/database/key-policies/key-policy.repository';
import { KeyFileRepository, type StoredFileKey } from '@app/database/keys/key-file.repository';
import {
  DRY_RUN_FIELDS,
  FILE_FIELDS,
  type KeySettings,
  type WireKeySettings,
} from '@app/domain/keys/key-fields';
import { fromWire, toStored, toWire } from '@app/domain/keys/key-settings';
import { Injectable } from '@nestjs/common';
import { ApiKeyChangesService } from '../keys/api-key-changes.service';
import { KeyDryRunsService } from '../keys/key-dry-runs.service';
import type { KeyTarget } from '../keys/key-locks';
import {
  exportedList,
  requestedList,
  requireEntitled,
  storedList,
  type ComparableList,
} from './file-list-entries';
import { FileListsService } from './file-lists.service';
import {
  entriesAt,
  FieldProblem,
  planPart,
  quoted,
  type EntryAction,
  type FieldPath,
  type ReadEntry,
} from './file-part';
import type { FileKey } from './key-file';
import {
  findMeant,
  makeInTurn,
  making,
  type Applying,
  type FilePlan,
  type FileScope,
  type MakeChange,
} from './key-file-plan';
import { lifetimeWarning, settingsWarnings } from './settings-warnings';

/** The reason that a file disables keys with, and the only one that it enables them from. */
const FILE_DISABLE_REASON = 'requested_by_customer';

/** Days of requests and charges that settings are tried against. */
const SETTINGS_DAYS = 30;

/** The settings of a key with the names of the file, in one comparable form; its list has notes and ends there. */
interface Settings extends Partial<Omit<WireKeySettings, 'allowed_ips'>> {
  allowed_ips?: ComparableList;
  enabled?: boolean;
}

/** Keys in files of keys. */
@Injectable()
export class FileKeysService {
  constructor(
    private readonly files: KeyFileRepository,
    private readonly lists: FileListsService,
    private readonly keys: ApiKeyChangesService,
    private readonly dryRuns: KeyDryRunsService,
    private readonly policies: KeyPolicyRepository,
    private readonly serviceAccounts: ServiceAccountRepository,
  ) {}

  async plan(scope: FileScope): Promise<FilePlan> {
    const { file, account, input, at, keys } = scope;
    const policy = await this.policies.findHolding(account);
    const owners = await this.serviceAccounts.list(account.id);
    const plan = await planPart<'key', FileKey, StoredFileKey, Settings, MakeChange>({
      kind: 'key',
      entries: entriesAt(input?.keys, [...at, 'keys']),
      stored: keys,
      about: (key) => key,
      settingsOf: storedSettings,
      isAdopted: ({ managedBy }) => managedBy !== file,
      isRemoved: ({ managedBy }) => managedBy === file,
      remove: (key) => making((applying) => this.keys.deleting(targetOf(key, applying))),
      read: (entry, path) => this.read(entry, path, scope, policy, owners),
    });
    return { ...plan, notes: [...plan.notes, ...lifetimeNotes(plan, scope, policy)] };
  }

  /** The keys of an account, with the files that manage them. */
  async export(
    accountId: string,
    limit: number,
  ): Promise<{ keys: (FileKey & { id: string })[]; managers: string[] }> {
    const stored = await this.files.listExported(accountId, limit);
    return {
      keys: stored.map(exportKey),
      managers: stored.flatMap(({ managedBy }) => managedBy ?? []),
    };
  }

  private read(
    input: FileKey,
    path: FieldPath,
    { file, account, keys }: FileScope,
    policy: KeyPolicy | null,
    owners: readonly ServiceAccount[],
  ): ReadEntry<StoredFileKey, Settings, MakeChange> {
    const present = findMeant('key', file, input, keys, path);
    const serviceAccountId = ownerOf(input, owners, path);
    if (present) requireMine(present, serviceAccountId, path);
    const settings = requestedSettings(input);
    const notes: string[] = [];
    const reason = present?.disableReason ?? FILE_DISABLE_REASON;
    if (settings.enabled === true && reason !== FILE_DISABLE_REASON) {
      notes.push(
        `The key ${quoted(present!.name)} is disabled as ${reason}. A file does not enable it again.`,
      );
      delete settings.enabled;
    }
    const owner = { file, account, serviceAccountId: serviceAccountId ?? null };
    return {
      present,
      name: input.name,
      settings,
      notes,
      extra: { serviceAccountId: owner.serviceAccountId },
      check: (after) => {
        requireLater(after, path);
        requireEntitled(after.allowed_ips, present && storedList(present), account, path);
      },
      make: (after, action) => async (applying) =>
        present
          ? makeInTurn(this.works(after, action, file), targetOf(present, applying), applying.em)
          : this.create(after, owner, applying),
      warn: (after) => this.warnings(input.name, present, after, policy),
    };
  }

  private async create(
    settings: Settings,
    { file, account, serviceAccountId }: { file: string; account: Account; serviceAccountId: string | null },
    { request, secrets, em }: Applying,
  ) {
    const { allowed_ips: list, enabled, ...others } = settings;
    const { name, permissions } = others;
    const input = {
      ...fromWire(others),
      name: name!,
      permissions: permissions!,
      accountId: account.id,
      serviceAccountId,
      managedBy: file,
      allowedIps: list ? list.map(({ address }) => address) : null,
    };
    const created = await this.keys.creating(request.actor, input, request.reason)(em);
    const { keyId, secret } = created.result;
    const of = { account: account.name, accountId: account.id, name: name! };
    secrets.push({ kind: 'key', ...of, id: keyId, secret });
    const isAnnotated = list?.some(({ note, ends_at }) => note !== null || ends_at !== null);
    const works = this.works(
      { ...(isAnnotated && { allowed_ips: list }), ...(enabled === false && { enabled }) },
      'update',
      file,
    );
    return [created, ...(await makeInTurn(works, { ...request, keyId, expected: 'any' }, em))];
  }

  /** What makes a key as the settings say. */
  private works({ allowed_ips: list, enabled, ...settings }: Settings, action: EntryAction, file: string) {
    return [
      action === 'adopt' && ((key: KeyTarget) => this.keys.managing(key, file)),
      list !== undefined &&
        (({ keyId, ...request }: KeyTarget) =>
          this.lists.replacing(request, { kind: 'key', id: keyId }, list)),
      Object.keys(settings).length > 0 && ((key: KeyTarget) => this.keys.editing(key, fromWire(settings))),
      enabled === true && ((key: KeyTarget) => this.keys.enabling(key)),
      enabled === false && ((key: KeyTarget) => this.keys.disabling(key, FILE_DISABLE_REASON)),
    ];
  }

  /** An expiry that the policy refuses, and what the list, the permissions and the limits would have done lately. */
  private async warnings(
    name: string,
    present: StoredFileKey | null,
    { allowed_ips: list, ...after }: Settings,
    policy: KeyPolicy | null,
  ): Promise<string[]> {
    const { expires_at: time } = after;
    const expiresAt = time ? new Date(time) : null;
    const secretCreatedAt = present?.secretCreatedAt ?? new Date();
    const key = { name: present?.name ?? name, expiresAt, secretCreatedAt };
    const lifetime = time === undefined ? null : lifetimeWarning(key, policy);
    const owner = present && ({ kind: 'key', id: present.id } as const);
    return [
      ...(lifetime === null ? [] : [`${lifetime} Applying it is refused.`]),
      ...(await this.lists.warnings(owner, list, present?.allowedIps != null)),
      ...(present && DRY_RUN_FIELDS.some((field) => after[field] !== undefined)
        ? settingsWarnings(await this.dryRuns.run(present.id, fromWire(after), SETTINGS_DAYS))
        : []),
    ];
  }
}

function targetOf({ id: keyId, version }: StoredFileKey, { request }: Applying): KeyTarget {
  return { ...request, keyId, expected: [version] };
}

/** Keys of the file that work for longer than their policy accepts, and stay so: applying a policy leaves them to the file. */
function lifetimeNotes({ changes }: FilePlan, { file, keys }: FileScope, policy: KeyPolicy | null): string[] {
  const changed = new Map(changes.map((change) => [change.id, change]));
  return keys.flatMap((key) => {
    const { action, after = {} } = changed.get(key.id) ?? {};
    const isOfFile = key.managedBy === file || action === 'adopt';
    const isElsewhere = action === 'delete' || 'expires_at' in after;
    if (!isOfFile || isElsewhere || key.disableReason !== null) return [];
    return lifetimeWarning(key, policy) ?? [];
  });
}

/** The service account of a key: an id, null for the account itself, undefined where the file leaves it open. */
function ownerOf(
  { service_account: input }: FileKey,
  serviceAccounts: readonly ServiceAccount[],
  path: FieldPath,
): string | null | undefined {
  if (input === undefined || input === null) return input;
  const found = serviceAccounts.filter(({ id, name }) => id === input || name === input);
  if (found.length === 1) return found[0]!.id;
  const names = serviceAccounts.map(({ name }) => quoted(name)).join(', ');
  const problem =
    found.length === 0
      ? 'The account has no such service account'
      : 'Several service accounts have this name';
  const message = `${problem} (given: ${quoted(input)}; accepted: ${names.slice(0, 400) || 'there is none'}).`;
  throw new FieldProblem([...path, 'service_account'], message);
}

function requireMine(
  present: StoredFileKey,
  serviceAccountId: string | null | undefined,
  path: FieldPath,
): void {
  if (present.parentKeyIds !== null) {
    const message = `A customer's key has created the key ${present.id}, and limits it. Detach it first.`;
    throw new FieldProblem(path, message);
  }
  if (serviceAccountId === undefined || serviceAccountId === present.serviceAccountId) return;
  const message =
    'A key stays with the service account that it was created for: delete it here, and give the new one another name.';
  throw new FieldProblem([...path, 'service_account'], message);
}

function requireLater({ expires_at: time }: Settings, path: FieldPath): void {
  if (!time || Date.parse(time) > Date.now()) return;
  const message = `The time has passed (given: ${time}; accepted: a time to come, or null for a key that does not expire).`;
  throw new FieldProblem([...path, 'expires_at'], message);
}

function requestedSettings({ allowed_ips: list, enabled, ...input }: FileKey): Settings {
  return {
    ...toFile(toStored(fromWire(input), null)),
    ...(list !== undefined && { allowed_ips: requestedList(list) }),
    ...(enabled !== undefined && { enabled }),
  };
}

function storedSettings(key: StoredFileKey): Settings {
  return { ...toFile(key), allowed_ips: storedList(key), enabled: key.disableReason === null };
}

function toFile(settings: Partial<KeySettings>): Omit<Settings, 'allowed_ips'> {
  const wire = toWire(settings);
  return Object.fromEntries(FILE_FIELDS.flatMap((name) => (name in wire ? [[name, wire[name]]] : [])));
}

/** A key that staff have disabled, say because it leaked, is exported without a word on that: a file does not enable it. */
function exportKey(key: StoredFileKey): FileKey & { id: string } {
  const { name, permissions, allowed_ips: list, enabled, ...settings } = storedSettings(key);
  return {
    id: key.id,
    name: name!,
    ...(key.serviceAccountId !== null && { service_account: key.serviceAccountId }),
    permissions: permissions!,
    ...settings,
    allowed_ips: list ? exportedList(list) : null,
    ...((enabled === true || key.disableReason === FILE_DISABLE_REASON) && { enabled }),
  };
}
