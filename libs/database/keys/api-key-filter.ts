import { STATUS_OF_KEY } from '../common/key-status-sql';
import type { DisableReason } from '@app/domain/keys/disable-reasons';
import type { FindingKind } from '@app/domain/keys/key-findings';
import { propertyOf } from '@app/domain/common/property-name';
import { FILTERED_FIELDS, type FilteredField, type SomeSettings } from '@app/domain/keys/key-fields';
import type { KeyStatus } from '@app/domain/keys/key-status';
import type { Permission } from '@app/domain/keys/permissions';
import type { RefusingGate } from '@app/domain/traffic/traffic';
import { accountsWithContact, hasTags, managedBy, withinBounds } from '../accounts/account-conditions';
import { Conditions, namePart } from '../common/conditions';
import { creditShare } from '../credits/current-balance';
import { keysWithFinding } from '../key-safety/key-finding.repository';

/** Filters of a list of keys. All must hold. */
export interface ApiKeyFilter extends SomeSettings<FilteredField> {
  id?: string;
  /** One of these. */
  ids?: string[];
  accountId?: string;
  /** Of an account within the bounds of this management credential. */
  withinCredential?: string;
  serviceAccountId?: string;
  namePart?: string;
  /** Beside the part of a name: a key with a secret that ends so is one too. */
  orLastFour?: string;
  /** Has all of these tags. */
  tags?: string[];
  /** Of an account with this account manager; null for accounts without one. */
  managerId?: string | null;
  /** Of an account with a contact that has this in its name or e-mail address. */
  contactPart?: string;
  /** Of any secret the key has had. */
  lastFour?: string;
  status?: KeyStatus;
  disableReason?: DisableReason;
  disabled?: boolean;
  /** Keys that may do this, those that may do everything included. */
  permission?: Permission;
  hasList?: boolean;
  usedSince?: Date;
  /** Never used counts too. */
  unusedSince?: Date;
  /** Expires from now on and before this. */
  expiringBefore?: Date;
  /** A request from an address that is not on its list was refused since. */
  listRefusedSince?: Date;
  /** A request was refused since. */
  refusedSince?: Date;
  /** A request was refused by this gate, since then where both are given. */
  refusedBy?: RefusingGate;
  /** Has an open finding of this kind. */
  finding?: FindingKind;
  /** Has used at least this share of its own credits in this period: 0.8 for 80 %. */
  creditShare?: number;
}

/** Which share of its own credits a key has used in this period; -1 for a key without a separate limit. */
export const CREDIT_SHARE = `coalesce(${creditShare('b')}, -1)`;

/**
 * The orders of a list, by name, each in both directions. A value is never null. Except for the share of
 * credits, which changes with every request, it has an index together with the id, under these names.
 */
export const API_KEY_ORDERS = {
  created_at: { value: 'k.created_at', id: 'k.id', type: 'timestamptz' },
  name: { value: 'lower(k.name) COLLATE "C"', id: 'k.id', type: 'text' },
  expires_at: { value: `coalesce(k.expires_at, 'infinity')`, id: 'k.id', type: 'timestamptz' },
  last_used_at: { value: `coalesce(u.last_used_at, '-infinity')`, id: 'u.key_id', type: 'timestamptz' },
  credit_share: { value: CREDIT_SHARE, id: 'k.id', type: 'float8' },
} as const;

export type ApiKeyOrder = keyof typeof API_KEY_ORDERS;

/** The tables that a filter and an order read: the key `k` and, where they are needed, its use `u` and its balance `b`. */
export function sourceOf({ usedSince, unusedSince, creditShare }: ApiKeyFilter, order?: ApiKeyOrder): string {
  const withUse = order === 'last_used_at' || usedSince || unusedSince;
  const withBalance = order === 'credit_share' || creditShare !== undefined;
  return `api_key k${withUse ? ' JOIN api_key_use u ON u.key_id = k.id' : ''}${
    withBalance ? ' JOIN credit_balance b ON b.subject_id = k.id' : ''
  }`;
}

/** Adds the conditions of a filter. `use`: the table that has the last use; `share`: what has the share of credits. */
export function addConditions(
  filter: ApiKeyFilter,
  where: Conditions,
  { use, share }: { use: string; share: string } = { use: 'u', share: CREDIT_SHARE },
): void {
  where.ifPresent(filter.id, (value) => `k.id = ${value}`);
  where.ifPresent(filter.ids, (value) => `k.id = ANY (${value}::uuid[])`);
  where.ifPresent(filter.accountId, (value) => `k.account_id = ${value}`);
  where.ifPresent(
    filter.withinCredential,
    (value) => `k.account_id IN (SELECT w.id FROM account w WHERE ${withinBounds('w', value)})`,
  );
  where.ifPresent(filter.serviceAccountId, (value) => `k.service_account_id = ${value}`);
  if (filter.namePart !== undefined) where.add(namedOrEnding(filter, filter.namePart, where));
  where.ifPresent(filter.tags, (value) => hasTags('k.tags', value));
  for (const name of FILTERED_FIELDS)
    where.ifPresent(filter[propertyOf(name)], (value) => `k.${name} = ${value}`);
  if (filter.managerId !== undefined)
    where.add(
      `k.account_id IN (SELECT m.id FROM account m WHERE ${managedBy('m', filter.managerId, where)})`,
    );
  if (filter.contactPart !== undefined)
    where.add(`k.account_id IN (${accountsWithContact(filter.contactPart, where)})`);
  where.ifPresent(filter.lastFour, (value) => `k.id IN (${keysWithSecretEndingIn(value)})`);
  if (filter.status && filter.status !== 'deleted') where.add(STATUS_OF_KEY[filter.status]('k'));
  where.ifPresent(filter.disableReason, (value) => `k.disable_reason = ${value}`);
  if (filter.disabled !== undefined) where.add(`k.disable_reason IS ${filter.disabled ? 'NOT ' : ''}NULL`);
  where.ifPresent(
    filter.permission,
    (value) => `(k.permissions IS NULL OR k.permissions @> ARRAY[${value}])`,
  );
  if (filter.hasList !== undefined) where.add(`k.allowed_ips IS ${filter.hasList ? 'NOT ' : ''}NULL`);
  const lastUse = `coalesce(${use}.last_used_at, '-infinity')`;
  where.ifPresent(filter.usedSince, (value) => `${lastUse} >= ${value}`);
  where.ifPresent(filter.unusedSince, (value) => `${lastUse} < ${value}`);
  where.ifPresent(filter.expiringBefore, (value) => `coalesce(k.expires_at, 'infinity') < ${value}`);
  if (filter.listRefusedSince) where.add(isRefused('ip', filter.listRefusedSince, where));
  if (filter.refusedBy ?? filter.refusedSince)
    where.add(isRefused(filter.refusedBy, filter.refusedSince, where));
  where.ifPresent(filter.finding, (value) => `k.id IN (${keysWithFinding(value)})`);
  where.ifPresent(filter.creditShare, (value) => `${share} >= ${value}::float8`);
  if (filter.expiringBefore) where.add(`coalesce(k.expires_at, 'infinity') > now()`);
}

/** The condition that a request was refused: as far back as traffic is stored. */
function isRefused(by: RefusingGate | undefined, since: Date | undefined, where: Conditions): string {
  const refusals = new Conditions(where.values);
  refusals.ifPresent(by, (value) => `r.gate = ${value}`);
  refusals.ifPresent(since, (value) => `r.at >= ${value}`);
  return `k.id IN (SELECT r.key_id FROM key_last_refusal r WHERE ${refusals.sql})`;
}

/** The keys of a secret are found first, so that both conditions can be looked up by an index. */
function namedOrEnding(filter: ApiKeyFilter, part: string, where: Conditions): string {
  const named = namePart(nameColumn(filter), part, where);
  if (filter.orLastFour === undefined) return named;
  const lastFour = where.value(filter.orLastFour);
  return `(${named} OR k.id = ANY (ARRAY(${keysWithSecretEndingIn(lastFour)})))`;
}

/** The ids of keys by the last four characters of one of their secrets, which may be another system's. */
export function keysWithSecretEndingIn(lastFour: string): string {
  return `SELECT s.key_id FROM api_key_secret s WHERE right(s.hint, 4) = ${lastFour}`;
}

/** A deleted key that can still be restored. */
const RESTORABLE = 'k.deleted_at IS NOT NULL AND k.removed_at IS NULL';

/** The conditions that a key matches a filter; a deleted one matches only one that looks for deleted keys. */
export function conditionsOf(filter: ApiKeyFilter, values?: unknown[]): Conditions {
  const where = new Conditions(values);
  where.add(filter.status === 'deleted' ? RESTORABLE : 'k.deleted_at IS NULL');
  addConditions(filter, where);
  return where;
}

/**
 * The name; among the keys of one owner as an expression that no index has. Their keys are read anyway, and the planner
 * underrates what a bitmap of every key with a common name part costs.
 */
function nameColumn({ accountId, serviceAccountId }: ApiKeyFilter): string {
  return accountId === undefined && serviceAccountId === undefined ? 'k.name' : `(k.name || '')`;
}
