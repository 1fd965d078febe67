import type { Account } from '@app/database/accounts/account.entity';
import type { ServiceAccount } from '@app/database/accounts/service-account.entity';
import type { NamedAlertRule } from '@app/database/alerts/alert-rule.repository';
import type { CurrentBudget } from '@app/database/credits/budget.repository';
import type { KeyPolicy } from '@app/database/key-policies/key-policy.entity';
import {
  listedEntries,
  type StoredFileKey,
  type StoredFileList,
} from '@app/database/keys/key-file.repository';
import type { Voice } from '@app/database/voices/voice.entity';
import type { WebhookEndpoint } from '@app/database/webhooks/webhook-endpoint.entity';
import { budgetSubject, type BudgetWindow } from '@app/domain/credits/budget';
import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import type { AlertChannel } from '@app/domain/alerts/alert-rule';
import { addsNothing, parseAllowList } from '@app/domain/allow-lists/allow-list';
import { ALLOW_LIST_TIER, mayPlaceAllowList } from '@app/domain/allow-lists/allow-list-entitlement';
import { FILE_FIELDS, type KeySettings, type WireKeySettings } from '@app/domain/keys/key-fields';
import { fromWire, toStored, toWire } from '@app/domain/keys/key-settings';
import type { BudgetSettings } from '../budgets/budgets.service';
import { readDraft } from '../allow-lists/allow-list-draft';
import { difference } from '../audit/locked-change';
import { addressOf, type FileAccount, type FileKey, type FileListEntry, type FileWebhook } from './key-file';

/** The reason that a file disables keys with, and the only one that it enables them from. */
export const FILE_DISABLE_REASON = 'requested_by_customer';

/** An entry of a list in its comparable form. */
export interface PlannedEntry {
  address: string;
  note: string | null;
  ends_at: string | null;
}

/** The settings of a key or a webhook with the names of the file, in one comparable form. */
export interface PlannedSettings extends Partial<Omit<WireKeySettings, 'allowed_ips'>> {
  allowed_ips?: PlannedEntry[] | null;
  enabled?: boolean;
  url?: string;
  events?: string[];
  kind?: AlertKind;
  threshold?: number | null;
  /** Of a rule or a budget: the key that it is for. */
  key?: string | null;
  channels?: AlertChannel[];
  /** Of a budget: credits for each window. */
  amount?: number;
  window?: BudgetWindow;
  time_zone?: string;
  tag?: string | null;
  subject?: 'end_user' | null;
  operations?: string[] | null;
  /** Of a voice. */
  aliases?: string[];
}

/** A setting that a person, or a process of ours, has changed outside of the file since it was applied. */
export interface Drift {
  field: string;
  by: string;
  at: string;
  reason: string | null;
}

export type PlannedAction = 'create' | 'adopt' | 'update' | 'delete';

export interface PlannedChange {
  kind: 'account' | 'key' | 'webhook' | 'rule' | 'budget' | 'voice';
  action: PlannedAction;
  /** Null for what is created. */
  id: string | null;
  name: string;
  /** What the change is based on. */
  version: number | null;
  /** Of a key that is created. */
  serviceAccountId?: string | null;
  /** Of a rule or a budget that is created: the key that it is for. */
  ofKey?: KeyReference;
  /** Only the settings that differ. */
  before: PlannedSettings;
  after: PlannedSettings;
  /** Where it stands in the file; null for what is no longer there. */
  path: (string | number)[] | null;
  drift: Drift[];
  /** What has to be confirmed. */
  warnings: string[];
}

/** A key that a rule or a budget is for: an id, or the name of one that the file creates. */
export type KeyReference = { id: string } | { name: string } | null;

/** What a file does to one account: all of it in one transaction. */
export interface AccountPlan {
  accountId: string;
  account: string;
  changes: PlannedChange[];
  unchanged: number;
  /** What stays as it is although the file says otherwise, and why. */
  notes: string[];
}

export interface AccountState {
  account: Account;
  /** The list of the account itself. */
  list: StoredFileList;
  /** What holds for the expiry of its keys. */
  policy: KeyPolicy | null;
  keys: StoredFileKey[];
  webhooks: WebhookEndpoint[];
  /** All of the account and its keys. */
  rules: NamedAlertRule[];
  /** All of the account. */
  budgets: CurrentBudget[];
  /** Those that have aliases, and those that the file names. */
  voices: Voice[];
  serviceAccounts: ServiceAccount[];
}

/** What keeps an account from being planned: the field, and why. */
export interface PlanProblem {
  path: (string | number)[];
  message: string;
}

export type Planned = Omit<PlannedChange, 'drift' | 'warnings'>;
export type Outcome = { change: Planned | null; notes?: string[] } | { problem: PlanProblem };

export type WithId = { id: string | null };

/** A key of a file, against the keys that are there. */
export function planKey(
  file: string,
  input: FileKey,
  state: AccountState,
  path: (string | number)[],
): Outcome & Partial<WithId> {
  const found = match('key', file, input, state.keys, path);
  if ('problem' in found) return found;
  const owner = ownerOf(input, state.serviceAccounts, path);
  if ('problem' in owner) return owner;
  const present = found.present;
  const requested = keySettings(input);
  if (!present) {
    const problem =
      lateProblem(requested, path) ??
      entitlementProblem(requested.allowed_ips ?? null, null, state.account, path);
    if (problem) return { problem };
    const change = { kind: 'key', action: 'create', id: null, name: input.name, version: null } as const;
    return {
      id: null,
      change: { ...change, serviceAccountId: owner.id ?? null, before: {}, after: requested, path },
    };
  }
  const { id, version } = present;
  if (present.parentKeyIds !== null)
    return {
      problem: {
        path,
        message: `A customer's key has created the key ${id}, and limits it. Detach it first.`,
      },
    };
  if (owner.id !== undefined && owner.id !== present.serviceAccountId) {
    const message =
      'A key stays with the service account that it was created for: delete it here, and give the new one another name.';
    return { problem: { path: [...path, 'service_account'], message } };
  }
  const stored = storedKeySettings(present);
  const notes: string[] = [];
  if (
    requested.enabled === true &&
    present.disableReason !== null &&
    present.disableReason !== FILE_DISABLE_REASON
  ) {
    notes.push(
      `The key ${quoted(present.name)} is disabled as ${present.disableReason}. A file does not enable it again.`,
    );
    delete requested.enabled;
  }
  const changed = difference(stored, requested);
  const late = lateProblem(changed.after, path);
  if (late) return { problem: late };
  if (changed.after.allowed_ips !== undefined) {
    const problem = entitlementProblem(
      changed.after.allowed_ips,
      stored.allowed_ips ?? null,
      state.account,
      path,
    );
    if (problem) return { problem };
  }
  return { id, notes, ...settled('key', file, present, changed, { id, version, name: present.name, path }) };
}

/** The list of an account, against the one that is there; nothing where the file leaves it alone. */
export function planAccountList(
  { allowed_ips: input }: FileAccount,
  { account, list }: AccountState,
  path: (string | number)[],
): (Outcome & Partial<WithId>)[] {
  if (input === undefined) return [];
  const { id, name, version } = account;
  const stored = storedList(list);
  const changed = difference<PlannedSettings>(
    { allowed_ips: stored },
    { allowed_ips: input && plannedEntries(input) },
  );
  if (changed.after.allowed_ips === undefined) return [{ id, change: null }];
  const problem = entitlementProblem(changed.after.allowed_ips, stored, account, path);
  if (problem) return [{ problem }];
  const change = { kind: 'account', action: 'update', id, name, version } as const;
  return [{ id, change: { ...change, ...changed, path: [...path, 'allowed_ips'] } }];
}

/** A webhook of a file, against those that are there. */
export function planWebhook(
  file: string,
  input: FileWebhook,
  webhooks: readonly WebhookEndpoint[],
  path: (string | number)[],
): Outcome & Partial<WithId> {
  const found = match('webhook', file, input, webhooks, path);
  if ('problem' in found) return found;
  const requested = webhookSettings(input);
  const present = found.present;
  if (!present) {
    const change = { kind: 'webhook', action: 'create', id: null, name: input.name, version: null } as const;
    return { id: null, change: { ...change, before: {}, after: requested, path } };
  }
  const { id, version, name } = present;
  const changed = difference(storedWebhookSettings(present), requested);
  return { id, ...settled('webhook', file, present, changed, { id, version, name, path }) };
}

function settled(
  kind: 'key' | 'webhook',
  file: string,
  { managedBy }: { managedBy: string | null },
  changed: { before: PlannedSettings; after: PlannedSettings },
  where: Pick<PlannedChange, 'id' | 'version' | 'name' | 'path'>,
): { change: Planned | null } {
  const isSame = Object.keys(changed.after).length === 0;
  if (managedBy === file && isSame) return { change: null };
  return { change: { kind, action: managedBy === file ? 'update' : 'adopt', ...where, ...changed } };
}

/** The one that a file means: by its id, or else by its name; null when it is to be created. */
function match<T extends { id: string; name: string; managedBy: string | null }>(
  kind: string,
  file: string,
  { id, name }: { id?: string; name: string },
  resources: readonly T[],
  path: (string | number)[],
): { present: T | null } | { problem: PlanProblem } {
  const managed = resources.filter((resource) => resource.managedBy === file && resource.name === name);
  const candidates =
    id === undefined
      ? managed.length > 0
        ? managed
        : resources.filter((resource) => resource.name === name)
      : resources.filter((resource) => resource.id === id);
  if (id !== undefined && candidates.length === 0)
    return {
      problem: {
        path: [...path, 'id'],
        message: `The account has no ${kind} ${quoted(id)}. Leave the id out to create one.`,
      },
    };
  if (candidates.length > 1) {
    const ids = candidates.map((each) => each.id).join(', ');
    const message = `The account has ${candidates.length} ${kind}s with this name: add the id of the one that is meant (${ids.slice(0, 400)}), or choose another name.`;
    return { problem: { path: [...path, 'name'], message } };
  }
  const present = candidates[0] ?? null;
  if (present?.managedBy && present.managedBy !== file) {
    const message = `The ${kind} is managed by another file of keys, ${quoted(present.managedBy)}: release it there first.`;
    return { problem: { path, message } };
  }
  return { present };
}

/** What the file manages and no longer names. */
export function removals(
  kind: 'key' | 'webhook',
  resources: readonly { id: string; name: string; version: number; managedBy: string | null }[],
  file: string,
  requested: ReadonlySet<string | null | undefined>,
): Planned[] {
  return resources
    .filter(({ id, managedBy }) => managedBy === file && !requested.has(id))
    .map(({ id, name, version }) => ({
      kind,
      action: 'delete',
      id,
      name,
      version,
      before: {},
      after: {},
      path: null,
    }));
}

/** The service account of a key: an id, null for the account itself, undefined where the file leaves it open. */
function ownerOf(
  { service_account: input }: FileKey,
  serviceAccounts: readonly ServiceAccount[],
  path: (string | number)[],
): { id: string | null | undefined } | { problem: PlanProblem } {
  if (input === undefined || input === null) return { id: input };
  const found = serviceAccounts.filter(({ id, name }) => id === input || name === input);
  if (found.length === 1) return { id: found[0]!.id };
  const accepted =
    serviceAccounts
      .map(({ name }) => quoted(name))
      .join(', ')
      .slice(0, 400) || 'there is none';
  const message = `${found.length === 0 ? 'The account has no such service account' : 'Several service accounts have this name'} (given: ${quoted(input)}; accepted: ${accepted}).`;
  return { problem: { path: [...path, 'service_account'], message } };
}

/** The key that a rule or a budget names, among those of the file; null for none, undefined when there is no such key. */
export function keyOf(
  key: string | null,
  keys: readonly FileKey[],
  { keys: stored }: AccountState,
): KeyReference | undefined {
  if (key === null) return null;
  const named = keys.find(({ id, name }) => id === key || name === key);
  if (!named) return undefined;
  if (named.id !== undefined) return { id: named.id };
  const found = stored.filter(({ name }) => name === named.name);
  return found.length > 0 ? { id: found[0]!.id } : { name: named.name };
}

export function unknownKey(key: string, keys: readonly FileKey[], path: (string | number)[]): PlanProblem {
  const names = keys.map(({ name }) => quoted(name)).join(', ');
  const message = `No key of the account in this file has this id or name (given: ${quoted(key)}; accepted: ${names.slice(0, 400) || 'there is none'}).`;
  return { path: [...path, 'key'], message };
}

function entitlementProblem(
  requested: PlannedEntry[] | null,
  present: PlannedEntry[] | null,
  account: Account,
  path: (string | number)[],
): PlanProblem | null {
  if (requested === null || mayPlaceAllowList(account)) return null;
  if (present !== null && addsNothing(storedEntries(requested), storedEntries(present))) return null;
  const message = `A new entry on an allow-list needs the tier ${ALLOW_LIST_TIER}, and that an account manager has switched lists on for the account (its tier: ${account.tier}).`;
  return { path: [...path, 'allowed_ips'], message };
}

function lateProblem({ expires_at: time }: PlannedSettings, path: (string | number)[]): PlanProblem | null {
  if (!time || Date.parse(time) > Date.now()) return null;
  const message = `The time has passed (given: ${time}; accepted: a time to come, or null for a key that does not expire).`;
  return { path: [...path, 'expires_at'], message };
}

function storedEntries(entries: readonly PlannedEntry[]) {
  return parseAllowList(
    entries.map(({ address, ends_at }) => ({
      text: address,
      endsAtMs: ends_at === null ? null : Date.parse(ends_at),
    })),
  ).entries;
}

function keySettings({ allowed_ips: list, enabled, ...input }: FileKey): PlannedSettings {
  return {
    ...keyWire(toStored(fromWire(input), null)),
    ...(list !== undefined && { allowed_ips: list && plannedEntries(list) }),
    ...(enabled !== undefined && { enabled }),
  };
}

/** A stored key as a file has it. */
export function storedKeySettings(key: StoredFileKey): PlannedSettings {
  return { ...keyWire(key), allowed_ips: storedList(key), enabled: key.disableReason === null };
}

/** Settings with the names of the file, in one comparable form; the list of a key has notes and ends there. */
function keyWire(settings: Partial<KeySettings>): Omit<PlannedSettings, 'allowed_ips'> {
  const wire = toWire(settings);
  return Object.fromEntries(FILE_FIELDS.flatMap((name) => (name in wire ? [[name, wire[name]]] : [])));
}

/** A stored list as a file has it. */
export function storedList(list: StoredFileList): PlannedEntry[] | null {
  const entries = listedEntries(list);
  return (
    entries &&
    entries.map(({ cidr, note, endsAt }) => ({
      address: cidr,
      note,
      ends_at: endsAt && endsAt.toISOString(),
    }))
  );
}

function webhookSettings({ name, url, events, enabled }: FileWebhook): PlannedSettings {
  const href = URL.canParse(url) ? new URL(url).href : url;
  return { name, url: href, events: [...new Set(events)].sort(), ...(enabled !== undefined && { enabled }) };
}

export function storedWebhookSettings({ name, url, events, disabledAt }: WebhookEndpoint): PlannedSettings {
  return { name, url, events: [...events].sort(), enabled: disabledAt === null };
}

/** Entries as they would be stored: canonical, merged, in order. */
function plannedEntries(input: readonly FileListEntry[]): PlannedEntry[] {
  const entries = input.map((entry) =>
    typeof entry === 'string'
      ? { address: entry }
      : {
          address: addressOf(entry),
          note: entry.note ?? null,
          endsAt: entry.ends_at ? new Date(entry.ends_at) : null,
        },
  );
  const draft = readDraft({ entries }, []);
  return (draft?.entries ?? []).map(({ cidr, note, endsAt }) => ({
    address: cidr,
    note,
    ends_at: endsAt && endsAt.toISOString(),
  }));
}

/** Planned entries as the services of allow-lists take them. */
export function toEntries(entries: readonly PlannedEntry[] | null) {
  return (
    entries &&
    entries.map(({ address, note, ends_at }) => ({
      address,
      note,
      endsAt: ends_at === null ? null : new Date(ends_at),
    }))
  );
}

/** A budget that is created as the service of budgets takes it. */
export function toBudgetSettings(
  { name, amount, window, time_zone, tag = null, subject, operations = null }: PlannedSettings,
  keyId: string | null,
): BudgetSettings {
  const settings = { name: name!, amount: amount!, window: window!, timeZone: time_zone!, operations };
  return { ...settings, ...budgetSubject(keyId, tag, subject ?? undefined) };
}

/** A name for a terminal: quoted, and without characters that would control it. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
