import { propertyOf, type CamelCase } from '../common/property-name';
import type { ModelId } from '../voices/model-ids';

/** The kinds of values that settings have: as the program gives them, as they are stored, and on the wire. */
export interface Kinds {
  name: { input: string; stored: string; wire: string };
  text: { input: string | null; stored: string | null; wire: string | null };
  tags: { input: readonly string[]; stored: string[]; wire: string[] };
  permissions: { input: readonly string[] | 'all'; stored: string[] | null; wire: string[] | 'all' };
  addresses: { input: readonly string[] | null; stored: string[] | null; wire: string[] | null };
  models: { input: readonly ModelId[] | null; stored: ModelId[] | null; wire: ModelId[] | null };
  voices: { input: readonly string[] | null; stored: string[] | null; wire: string[] | null };
  count: { input: number | null; stored: number | null; wire: number | null };
  time: { input: Date | null; stored: Date | null; wire: string | null };
  flag: { input: boolean | null; stored: boolean | null; wire: boolean | null };
}
export type KeyFieldKind = keyof Kinds;

export interface KeyField {
  kind: KeyFieldKind;
  /** The shortest and the longest text, or the least and the greatest number; null where the kind says it. */
  bounds: { min: number; max: number } | null;
  /** Whether `api_key` has its column; the credit limit stands with the balance. */
  ownColumn: boolean;
  /** Whether the gates read it: the query of every request has its column. */
  gated: boolean;
  /** Whether a new key needs it. */
  required: boolean;
  /** Whether an edit changes it; the others have a service of their own. */
  edited: boolean;
  /** Whether its last change can be undone, also automatically after a time. */
  undone: boolean;
  /** Whether a list of keys can be narrowed to one value of it; a filter with other words is written by hand. */
  filtered: boolean;
  /** Whether the CSV file has it. */
  exported: boolean;
  /** Whether files of keys have it. */
  inFiles: boolean;
  /** What a dry run compares it with: routes, charges, or the requests of a window; null for no dry run. */
  dryRun: 'routes' | 'spending' | 'second' | 'minute' | 'day' | null;
  /** The action that sets it for many keys at once. */
  bulk: 'set_expiry' | 'set_credit_limit' | null;
  /** What customers call it in the public API; null where it does not show it. */
  customers: string | null;
  /** What staff call it. */
  label: string;
  /** What staff read below its field; null for nothing. */
  hint: string | null;
  /** What it means to have none. */
  none: string;
}

const EDITED = {
  bounds: null,
  ownColumn: true,
  gated: false,
  required: false,
  edited: true,
  undone: true,
  filtered: false,
  exported: true,
  inFiles: true,
  dryRun: null,
  bulk: null,
  customers: null,
  hint: null,
} as const;
/** What only files the key: nothing depends on it, and so nothing is tried or undone. */
const FILED = { ...EDITED, undone: false, none: 'none' } as const;

/**
 * The settings of a key, a row for each. Whatever handles settings reads this table, the description of the API its comments.
 * The name of a row is that of the column, the wire, the audit log and the file of keys; TypeScript has it in camelCase.
 */
export const KEY_FIELDS = {
  name: {
    ...FILED,
    kind: 'name',
    bounds: { min: 1, max: 200 },
    required: true,
    customers: 'name',
    label: 'Name',
    hint: 'What the key is for.',
  },
  permissions: {
    ...EDITED,
    kind: 'permissions',
    gated: true,
    required: true,
    dryRun: 'routes',
    customers: 'permissions',
    label: 'Permissions',
    none: 'everything',
  },
  /** Null for any address. */
  allowed_ips: {
    ...EDITED,
    kind: 'addresses',
    gated: true,
    edited: false,
    customers: 'allowed_ips',
    label: 'Allow-list',
    none: 'none',
  },
  /** Credits per billing period; null for the account's limit only. */
  credit_limit: {
    ...EDITED,
    kind: 'count',
    bounds: { min: 0, max: Number.MAX_SAFE_INTEGER },
    ownColumn: false,
    dryRun: 'spending',
    bulk: 'set_credit_limit',
    customers: 'character_limit',
    label: 'Credits a period',
    none: 'no limit',
  },
  /** Null for the tier's. */
  requests_per_minute: {
    ...EDITED,
    kind: 'count',
    gated: true,
    bounds: { min: 1, max: 1_000_000 },
    dryRun: 'minute',
    label: 'Requests a minute',
    none: 'from the tier',
  },
  /** Null for no such limit. */
  requests_per_second: {
    ...EDITED,
    kind: 'count',
    gated: true,
    bounds: { min: 1, max: 10_000 },
    dryRun: 'second',
    label: 'Requests a second',
    none: 'no limit',
  },
  /** From the first request on, a day at a time; null for no such limit. */
  requests_per_day: {
    ...EDITED,
    kind: 'count',
    gated: true,
    bounds: { min: 1, max: 1_000_000_000 },
    dryRun: 'day',
    label: 'Requests a day',
    none: 'no limit',
  },
  /** Generations that run at the same time, over all processes; null for the account's limit only. */
  concurrency_limit: {
    ...EDITED,
    kind: 'count',
    gated: true,
    bounds: { min: 1, max: 10_000 },
    customers: 'tts_concurrency_limit',
    label: 'Generations at once',
    none: 'from the account',
  },
  /** The models that the key may use; null for all. */
  models: {
    ...EDITED,
    kind: 'models',
    gated: true,
    label: 'Models',
    hint: 'The ids of those that it may use, with spaces or commas between them.',
    none: 'all',
  },
  /** The voices that the key may speak with and remix; null for all of the account's. */
  voices: {
    ...EDITED,
    kind: 'voices',
    gated: true,
    label: 'Voices',
    hint: 'The ids of those that it may speak with, with spaces or commas between them.',
    none: 'all',
  },
  /** Null for a key that does not expire. */
  expires_at: {
    ...EDITED,
    kind: 'time',
    gated: true,
    bulk: 'set_expiry',
    label: 'Expires',
    none: 'never',
  },
  tags: { ...FILED, kind: 'tags', label: 'Tags' },
  /** What another system calls the key, for one key of the account only; null for none. */
  external_id: {
    ...FILED,
    kind: 'text',
    filtered: true,
    label: 'External id',
    hint: 'What another system calls it, such as its number in the CRM.',
  },
  /** Whether a holder of the key may disable it, as the finder of a leaked one would; null for what its account says. */
  third_party_disable_allowed: {
    ...EDITED,
    kind: 'flag',
    customers: 'third_party_disable_allowed',
    label: 'A holder may disable it',
    hint: 'By calling with it, as the finder of a leaked key would.',
    none: 'as the account says',
  },
} as const satisfies Record<string, KeyField>;

export type KeyFieldName = keyof typeof KEY_FIELDS;
type KindOf<N extends KeyFieldName> = Kinds[(typeof KEY_FIELDS)[N]['kind']];
/** The settings as they are stored. */
export type KeySettings = { [N in KeyFieldName as CamelCase<N>]: KindOf<N>['stored'] };
/** The settings as the program gives them. */
export type KeyInput = { [N in KeyFieldName as CamelCase<N>]: KindOf<N>['input'] };
/** The settings on the wire, in the audit log and in files of keys. */
export type WireKeySettings = { -readonly [N in keyof typeof KEY_FIELDS]: KindOf<N>['wire'] };

/** Settings of which some are left out. */
export type SomeSettings<N extends KeyFieldName> = { [Name in N as CamelCase<Name>]?: KindOf<Name>['input'] };

/** The names of the settings of which something holds, such as `undone: true`. */
export type KeyFieldsWith<Part extends Partial<KeyField>> = {
  [N in KeyFieldName]: (typeof KEY_FIELDS)[N] extends Part ? N : never;
}[KeyFieldName];
export type EditedField = KeyFieldsWith<{ edited: true }>;
export type UndoneField = KeyFieldsWith<{ undone: true }>;
export type FilteredField = KeyFieldsWith<{ filtered: true }>;
export type RequiredField = KeyFieldsWith<{ required: true }>;
export type FileField = KeyFieldsWith<{ inFiles: true }>;
export type DryRunField = Exclude<KeyFieldName, KeyFieldsWith<{ dryRun: null }>>;

export const KEY_FIELD_NAMES = Object.keys(KEY_FIELDS) as KeyFieldName[];
export const EDITED_FIELDS = namesWhere((field) => field.edited) as EditedField[];
export const REQUIRED_FIELDS = namesWhere((field) => field.required) as RequiredField[];
export const UNDONE_FIELDS = namesWhere((field) => field.undone) as UndoneField[];
export const FILTERED_FIELDS = namesWhere((field) => field.filtered) as FilteredField[];
export const FILE_FIELDS = namesWhere((field) => field.inFiles) as FileField[];
export const DRY_RUN_FIELDS = namesWhere((field) => field.dryRun !== null) as DryRunField[];

/** A key without any of them; its name and permissions are still to come. */
export const NO_SETTINGS = Object.fromEntries(
  KEY_FIELD_NAMES.map((name) => [propertyOf(name), KEY_FIELDS[name].kind === 'tags' ? [] : null]),
) as unknown as KeySettings;

/** A row of the table, with what some rows leave open. */
export function keyField(name: KeyFieldName): KeyField {
  return KEY_FIELDS[name];
}

/** Whether a setting may have none: null. */
export function isNullable(name: KeyFieldName): boolean {
  return NO_SETTINGS[propertyOf(name)] === null && !KEY_FIELDS[name].required;
}

export function namesWhere(holds: (field: KeyField) => boolean): KeyFieldName[] {
  return KEY_FIELD_NAMES.filter((name) => holds(KEY_FIELDS[name]));
}
