import { UNDOABLE_SETTINGS, type KeyUndo, type UndoableSetting } from '@app/database/keys/key-undo.entity';
import { futureTime, storedPermissions, storedTags, type NewApiKey } from './api-keys.service';

/** What an edit sets; undefined leaves a setting as it is. Allow-lists are edited by AllowListsService. */
export type KeyEdit = Partial<
  Omit<NewApiKey, 'accountId' | 'serviceAccountId' | 'parentKeyIds' | 'allowedIps' | 'managedBy'>
>;

/** The settings of a key that an edit may change. */
export interface KeySettings {
  name: string;
  permissions: string[] | null;
  creditLimit: number | null;
  allowedIps: string[] | null;
  expiresAt: Date | null;
  requestsPerMinute: number | null;
  requestsPerSecond: number | null;
  requestsPerDay: number | null;
  thirdPartyDisableAllowed: boolean | null;
  tags: string[];
  externalId: string | null;
}

/** The settings of a stored key; its credit limit stands elsewhere. */
export function settingsOf(key: Omit<KeySettings, 'creditLimit'>, creditLimit: number | null): KeySettings {
  return {
    name: key.name,
    permissions: key.permissions,
    creditLimit,
    allowedIps: key.allowedIps,
    expiresAt: key.expiresAt,
    requestsPerMinute: key.requestsPerMinute,
    requestsPerSecond: key.requestsPerSecond,
    requestsPerDay: key.requestsPerDay,
    thirdPartyDisableAllowed: key.thirdPartyDisableAllowed,
    tags: key.tags,
    externalId: key.externalId,
  };
}

/** The values of an edit, as they are stored; refuses what is not accepted. */
export function requestedSettings({ permissions, expiresAt, tags, ...rest }: KeyEdit): Partial<KeySettings> {
  return {
    ...rest,
    ...(permissions !== undefined && { permissions: storedPermissions(permissions) }),
    ...(tags !== undefined && { tags: storedTags(tags) }),
    ...(expiresAt !== undefined && { expiresAt: futureTime(expiresAt, new Date()) }),
  };
}

const AUDIT_NAMES: Record<keyof KeySettings, string> = {
  name: 'name',
  permissions: 'permissions',
  creditLimit: 'credit_limit',
  allowedIps: 'allowed_ips',
  expiresAt: 'expires_at',
  requestsPerMinute: 'requests_per_minute',
  requestsPerSecond: 'requests_per_second',
  requestsPerDay: 'requests_per_day',
  thirdPartyDisableAllowed: 'third_party_disable_allowed',
  tags: 'tags',
  externalId: 'external_id',
};

/** A difference of settings as the audit log keeps it: with the names of the API. */
export function auditable(changed: { before: Partial<KeySettings>; after: Partial<KeySettings> }): {
  before: object;
  after: object;
} {
  const rename = (settings: Partial<KeySettings>) =>
    Object.fromEntries(
      (Object.keys(settings) as (keyof KeySettings)[]).map((name) => [
        AUDIT_NAMES[name],
        name === 'permissions' ? (settings.permissions ?? 'all') : settings[name],
      ]),
    );
  return { before: rename(changed.before), after: rename(changed.after) };
}

/** A setting whose edit can be undone; allow-lists are changed by AllowListsService. */
export type EditableSetting = Exclude<UndoableSetting, 'allowed_ips'>;

/** The field of a setting, by its name in the API. */
export function fieldOf(setting: EditableSetting): keyof KeySettings {
  return (Object.keys(AUDIT_NAMES) as (keyof KeySettings)[]).find((name) => AUDIT_NAMES[name] === setting)!;
}

/** A value of a setting for an undo, as it is stored with the key. */
export function storedSetting(setting: EditableSetting, before: unknown): unknown {
  return setting === 'expires_at' && typeof before === 'string' ? new Date(before) : before;
}

/** What settings were before a change, for an undo of each that can be undone. */
export function undosOf(
  before: Partial<KeySettings>,
  by: Pick<KeyUndo, 'subjectId' | 'changedBy' | 'changedAt' | 'dueAt'>,
): KeyUndo[] {
  return UNDOABLE_SETTINGS.flatMap((setting) => {
    const name = setting === 'allowed_ips' ? null : fieldOf(setting);
    return name !== null && name in before ? [{ ...by, setting, before: before[name] ?? null }] : [];
  });
}
