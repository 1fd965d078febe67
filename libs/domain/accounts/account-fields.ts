import { propertyOf, type CamelCase } from '../common/property-name';
import { canonicalList } from '../common/tags';
import type { LimitOverrides } from './account-limits';
import type { Tier } from './tiers';

interface Kinds {
  name: string;
  tier: Tier;
  /** A limit in place of the tier's; null for the tier's. */
  count: number | null;
  tags: string[];
  text: string | null;
}

interface AccountField {
  kind: keyof Kinds;
  /** The shortest and the longest text, or the least and the greatest number; null where the kind says it. */
  bounds: { min: number; max: number } | null;
  /** The limit of the tier that it replaces; null for no limit. */
  limit: keyof LimitOverrides | null;
  /** Whether a new account needs it. */
  required: boolean;
  /** Whether it is only a name or a label: its change is not undone, and waits for no second person. */
  isLabel: boolean;
  /** What staff call it. */
  label: string;
  /** What staff read below its field; null for nothing. */
  hint: string | null;
}

const LABEL = { bounds: null, limit: null, required: false, isLabel: true, hint: null } as const;
const LIMIT = { ...LABEL, kind: 'count', bounds: { min: 0, max: 1_000_000 }, isLabel: false } as const;

/**
 * What an edit of an account sets, a row for each. Whatever handles such settings reads this table, the description of the API its
 * comments. The name of a row is that of the wire; the column and the audit log call a limit an override.
 */
export const ACCOUNT_FIELDS = {
  name: { ...LABEL, kind: 'name', bounds: { min: 1, max: 200 }, required: true, label: 'Name' },
  tier: { ...LABEL, kind: 'tier', required: true, isLabel: false, label: 'Tier' },
  credit_limit: {
    ...LIMIT,
    bounds: { min: 0, max: Number.MAX_SAFE_INTEGER },
    limit: 'credits',
    label: 'Credits a period',
  },
  voice_limit: { ...LIMIT, limit: 'voiceSlots', label: 'Voices' },
  concurrency_limit: { ...LIMIT, limit: 'concurrency', label: 'At the same time' },
  tags: { ...LABEL, kind: 'tags', label: 'Tags' },
  /** What another system calls the account, for one account only; null for none. */
  external_id: {
    ...LABEL,
    kind: 'text',
    label: 'External id',
    hint: 'What another system calls it, such as its number in the CRM.',
  },
} as const satisfies Record<string, AccountField>;

export type AccountFieldKind = keyof Kinds;
export type AccountFieldName = keyof typeof ACCOUNT_FIELDS;
type KindOf<N extends AccountFieldName> = (typeof ACCOUNT_FIELDS)[N]['kind'];
type LimitName = { [N in AccountFieldName]: KindOf<N> extends 'count' ? N : never }[AccountFieldName];
/** What replaces no limit of the tier. */
type PlainName = Exclude<AccountFieldName, LimitName>;
type StoredName<N extends AccountFieldName> = N extends LimitName ? `${N}_override` : N;

/** The settings as they are stored. */
export type AccountSettings = { [N in AccountFieldName as CamelCase<StoredName<N>>]: Kinds[KindOf<N>] };
/** The same on the wire. */
export type WireAccountSettings = { -readonly [N in keyof typeof ACCOUNT_FIELDS]: Kinds[KindOf<N>] };

/** What an edit sets; undefined leaves it as it is, null gives a limit back to the tier. */
export type AccountSettingsEdit = { [N in PlainName as CamelCase<N>]?: Kinds[KindOf<N>] } & {
  overrides?: Partial<LimitOverrides>;
};

/** What a new account is given. */
export type NewAccount = AccountSettingsEdit & Pick<AccountSettings, 'name' | 'tier'>;

export type UndoneOfAccount = {
  [N in AccountFieldName]: (typeof ACCOUNT_FIELDS)[N]['isLabel'] extends true ? never : StoredName<N>;
}[AccountFieldName];

export const ACCOUNT_FIELD_NAMES = Object.keys(ACCOUNT_FIELDS) as AccountFieldName[];

/** Those that replace no limit of the tier. */
export const PLAIN_ACCOUNT_FIELDS = ACCOUNT_FIELD_NAMES.filter(
  (name): name is PlainName => ACCOUNT_FIELDS[name].kind !== 'count',
);

/** The settings with the names of columns and of the audit log. */
export const STORED_ACCOUNT_FIELDS = ACCOUNT_FIELD_NAMES.map(storedName);

/** Those whose last change can be undone, also automatically. */
export const UNDONE_OF_ACCOUNTS = ACCOUNT_FIELD_NAMES.filter((name) => !ACCOUNT_FIELDS[name].isLabel).map(
  storedName,
) as UndoneOfAccount[];

/** What an edit sets, as it is stored. */
export function requestedSettings({
  overrides = {},
  ...edit
}: AccountSettingsEdit): Partial<AccountSettings> {
  const requested = ACCOUNT_FIELD_NAMES.flatMap((name) => {
    const { limit } = ACCOUNT_FIELDS[name];
    const value = limit ? overrides[limit] : edit[propertyOf(name as PlainName)];
    if (value === undefined) return [];
    return [[propertyOf(storedName(name)), Array.isArray(value) ? canonicalList(value) : value]];
  });
  return Object.fromEntries(requested);
}

/** An edit as the wire has it. */
export function fromWire(body: Partial<WireAccountSettings>): AccountSettingsEdit {
  const { credit_limit: credits, voice_limit: voiceSlots, concurrency_limit: concurrency } = body;
  const plain = PLAIN_ACCOUNT_FIELDS.map((name) => [propertyOf(name), body[name]]);
  return { ...Object.fromEntries(plain), overrides: { credits, voiceSlots, concurrency } };
}

/** The settings that replace no limit, as the wire has them. */
export function toWire(account: AccountSettings): Pick<WireAccountSettings, PlainName> {
  const plain = PLAIN_ACCOUNT_FIELDS.map((name) => [name, account[propertyOf(name)]]);
  return Object.fromEntries(plain) as Pick<WireAccountSettings, PlainName>;
}

function storedName<N extends AccountFieldName>(name: N): StoredName<N> {
  return (ACCOUNT_FIELDS[name].kind === 'count' ? `${name}_override` : name) as StoredName<N>;
}
