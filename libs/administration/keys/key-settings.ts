import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import { propertyOf } from '@app/domain/common/property-name';
import {
  KEY_FIELD_NAMES,
  keyField,
  UNDONE_FIELDS,
  type EditedField,
  type KeyInput,
  type KeySettings,
  type UndoneField,
} from '@app/domain/keys/key-fields';
import { toStored, toWire } from '@app/domain/keys/key-settings';

/** What an edit sets; undefined leaves a setting as it is. Allow-lists are edited by AllowListsService. */
export type KeyEdit = Partial<Omit<KeyInput, 'allowedIps'>>;

/** The settings of a stored key; its credit limit stands elsewhere. */
export function settingsOf(key: Omit<KeySettings, 'creditLimit'>, creditLimit: number | null): KeySettings {
  const stored: KeySettings = { ...key, creditLimit };
  const names = KEY_FIELD_NAMES.map(propertyOf);
  return Object.fromEntries(names.map((name) => [name, stored[name]])) as unknown as KeySettings;
}

/** The values of an edit, as they are stored; refuses what is not accepted. */
export function requestedSettings(edit: KeyEdit): Partial<KeySettings> {
  return toStored(edit, new Date());
}

/** A difference of settings as the audit log keeps it: with the names of the API. */
export function auditable(changed: { before: Partial<KeySettings>; after: Partial<KeySettings> }): {
  before: object;
  after: object;
} {
  return { before: toWire(changed.before), after: toWire(changed.after) };
}

/** A setting whose edit can be undone; allow-lists are changed by AllowListsService. */
export type EditableSetting = UndoneField & EditedField;

/** What an undo restores, as it is stored with the key. */
export function restoredSetting(setting: EditableSetting, before: unknown): Partial<KeySettings> {
  const isTime = keyField(setting).kind === 'time' && typeof before === 'string';
  return { [propertyOf(setting)]: isTime ? new Date(before) : before };
}

/** What settings were before a change, for an undo of each that can be undone. */
export function undosOf(
  before: Partial<KeySettings>,
  by: Pick<KeyUndo, 'subjectId' | 'changedBy' | 'changedAt' | 'dueAt'>,
): KeyUndo[] {
  return UNDONE_FIELDS.flatMap((setting) => {
    const value = before[propertyOf(setting)];
    return value === undefined || !keyField(setting).edited ? [] : [{ ...by, setting, before: value }];
  });
}
