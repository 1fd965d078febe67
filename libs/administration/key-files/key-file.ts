import { checkAllowedIps } from '@app/domain/keys/key-field-checks';
import {
  FILE_FIELDS,
  REQUIRED_FIELDS,
  type FileField,
  type RequiredField,
  type WireKeySettings,
} from '@app/domain/keys/key-fields';
import { checkOf } from '@app/domain/keys/key-settings';
import { checkEvents, WEBHOOK_NAME } from '../webhooks/webhook-checks';
import { MAX_ALLOW_LIST_ENTRIES } from '@app/domain/allow-lists/allow-list';
import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import { ALERT_RULE_CHECKS, type AlertChannel } from '@app/domain/alerts/alert-rule';
import {
  checkBoolean,
  checkEnum,
  checkInteger,
  checkList,
  checkObject,
  checkString,
  checkTime,
  orNullCheck,
  withSchema,
  type Check,
  type Finding,
} from '@app/domain/common/field-checks';
import type { JsonSchema } from '@app/domain/common/json-schema';
import { checkTimeZone } from '@app/domain/alerts/quiet-hours';
import { checkOperations } from '@app/domain/credits/operation';
import { BUDGET_WINDOWS, MAX_BUDGETS, type BudgetWindow } from '@app/domain/credits/budget';
import { checkTag } from '@app/domain/common/tags';
import { checkVoiceId, checkAliases } from '@app/domain/voices/voice-alias';
import type { WebhookEventType } from '@app/domain/webhooks/webhook-event';
import { WEBHOOK_URL_MAX } from '@app/domain/webhooks/webhook-url';

/** An entry of an allow-list: a text alone is an entry without a note and without an end. */
export type FileListEntry = string | { address: string; note?: string | null; ends_at?: string | null };

/** A key as a file describes it. What is left out is not managed: a new key gets the default, an old one keeps what it has. */
export interface FileKey
  extends
    Pick<WireKeySettings, RequiredField>,
    Partial<Pick<WireKeySettings, Exclude<FileField, RequiredField | 'allowed_ips'>>> {
  /** Of the key that it is, where its name alone does not say. */
  id?: string;
  /** Id or name of the service account that owns it; the account itself when left out. */
  service_account?: string | null;
  allowed_ips?: FileListEntry[] | null;
  enabled?: boolean;
}

export interface FileWebhook {
  id?: string;
  name: string;
  url: string;
  events: WebhookEventType[];
  enabled?: boolean;
}

export interface FileAlertRule {
  kind: AlertKind;
  /** In the unit of the kind; left out for a kind without one. */
  threshold?: number | null;
  /** Id or name of the key of this account in this file that it is for; all of the account when left out. */
  key?: string | null;
  channels: AlertChannel[];
  enabled?: boolean;
}

export interface FileBudget {
  /** What it is known by. */
  name: string;
  /** Credits for each window. */
  amount: number;
  window: BudgetWindow;
  /** UTC when left out. */
  time_zone?: string;
  /** Id or name of the key of this account in this file whose charges count. */
  key?: string | null;
  /** The charges of keys with this tag count; without key and tag, those of the account. */
  tag?: string | null;
  /** Each end user has the amount separately; without key and tag. */
  subject?: 'end_user' | null;
  /** Only charges for these operations count; all when left out. */
  operations?: string[] | null;
}

export interface FileVoice {
  id: string;
  /** All of them, see `checkAliases`. */
  aliases: string[];
}

export interface FileAccount {
  /** Its id, or its name where only one account has it. */
  account: string;
  /** The list of the account, which all of its keys are held to; null for none, left out it is not managed. */
  allowed_ips?: FileListEntry[] | null;
  keys?: FileKey[];
  webhooks?: FileWebhook[];
  /** All alert rules of the account and its keys; left out, none of them is managed. */
  alert_rules?: FileAlertRule[];
  /** All budgets of the account, its tags and the keys of this file; left out, none of them is managed. */
  budgets?: FileBudget[];
  /** All voices of the account that have aliases; left out, none of them is managed. */
  voices?: FileVoice[];
}

/** A file of keys. Its name is what its keys are marked with: the name of the file on a disk does not matter. */
export interface KeyFile {
  version: 1;
  name: string;
  accounts: FileAccount[];
}

/** How many keys and webhooks a file may have. */
export const MAX_FILE_OBJECTS = 10_000;

const NAME = { min: 1, max: 200 };
const checkId = checkString({ min: 1, max: 36 });

const checkEntry = checkObject(
  {
    address: checkString({ min: 1, max: 100 }),
    note: orNullCheck(checkString({ max: 200 })),
    ends_at: orNullCheck(checkTime),
  },
  ['address'],
);

const ENTRIES_SCHEMA: JsonSchema = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_ALLOW_LIST_ENTRIES,
  items: { anyOf: [{ type: 'string', maxLength: 100, examples: ['203.0.113.0/24'] }, checkEntry.schema!] },
};

/** The entries one by one, then their addresses as a list. */
const checkEntries: Check = withSchema(ENTRIES_SCHEMA, (value) => {
  if (!Array.isArray(value)) return checkAllowedIps(value);
  const malformed = value.flatMap((entry: unknown, index): Finding[] =>
    typeof entry === 'string'
      ? []
      : checkEntry(entry).map((finding) => ({ ...finding, path: [index, ...(finding.path ?? [])] })),
  );
  return malformed.length > 0 ? malformed : checkAllowedIps((value as FileListEntry[]).map(addressOf));
});

const checkKey = checkObject(
  {
    id: checkId,
    name: checkOf('name'),
    service_account: orNullCheck(checkString({ min: 1, max: 200 })),
    ...Object.fromEntries(FILE_FIELDS.map((name) => [name, checkOf(name)])),
    allowed_ips: orNullCheck(checkEntries),
    enabled: checkBoolean,
  },
  REQUIRED_FIELDS,
);

const checkWebhook = checkObject(
  {
    id: checkId,
    name: checkString(WEBHOOK_NAME),
    url: checkString({ min: 1, max: WEBHOOK_URL_MAX }),
    events: checkEvents,
    enabled: checkBoolean,
  },
  ['name', 'url', 'events'],
);

const checkAlertRule = checkObject(
  {
    ...ALERT_RULE_CHECKS,
    key: orNullCheck(checkString({ min: 1, max: 200 })),
  },
  ['kind', 'channels'],
);

const checkBudget = checkObject(
  {
    name: checkString({ min: 1, max: 100 }),
    amount: checkInteger({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    window: checkEnum(BUDGET_WINDOWS),
    time_zone: checkTimeZone,
    key: orNullCheck(checkString({ min: 1, max: 200 })),
    tag: orNullCheck(checkTag),
    subject: orNullCheck(checkEnum(['end_user'])),
    operations: orNullCheck(checkOperations),
  },
  ['name', 'amount', 'window'],
);

const checkVoice = checkObject({ id: checkVoiceId, aliases: checkAliases }, ['id', 'aliases']);

const checkAccount = checkObject(
  {
    account: checkString(NAME),
    allowed_ips: orNullCheck(checkEntries),
    keys: checkList(checkKey, { max: MAX_FILE_OBJECTS }),
    webhooks: checkList(checkWebhook, { max: MAX_FILE_OBJECTS }),
    alert_rules: checkList(checkAlertRule, { max: MAX_FILE_OBJECTS }),
    budgets: checkList(checkBudget, { max: MAX_BUDGETS }),
    voices: checkList(checkVoice, { max: MAX_FILE_OBJECTS }),
  },
  ['account'],
);

/** The version of a format that has one. */
export const checkVersion: Check = withSchema({ type: 'integer', const: 1 }, (value) =>
  value === 1 ? [] : [{ type: 'literal_error', msg: 'Input should be 1, the version of this format' }],
);

/** What is wrong with the content of a file, field by field. */
export const checkKeyFile: Check = checkObject(
  {
    version: checkVersion,
    name: checkString({ min: 1, max: 100 }),
    accounts: checkList(checkAccount, { max: MAX_FILE_OBJECTS }),
  },
  ['version', 'name', 'accounts'],
);

/** The JSON schema of a file of keys, for editors and checks elsewhere. */
export const KEY_FILE_SCHEMA: JsonSchema & { $schema: string; title: string } = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Greenroom: keys as code',
  ...checkKeyFile.schema,
};

export function addressOf(entry: FileListEntry): string {
  return typeof entry === 'string' ? entry : entry.address;
}

type FindingPath = (string | number)[];

/** What the fields alone cannot show: the same account, key or webhook twice. */
export function findRepetitions({ accounts }: KeyFile): Finding[] {
  const objects = accounts.reduce((sum, account) => sum + countObjects(account), 0);
  if (objects > MAX_FILE_OBJECTS) {
    const msg = `A file has at most ${MAX_FILE_OBJECTS} keys, webhooks, rules, budgets and voices, and this one has ${objects}: make several files of it`;
    return [{ type: 'too_long', msg, path: ['accounts'], input: objects }];
  }
  const inAccounts = accounts.flatMap((account, index) => {
    const { keys = [], webhooks = [], alert_rules = [], budgets = [], voices = [] } = account;
    const findings = {
      budgets: repeatedField(budgets, 'name'),
      voices: [...repeatedField(voices, 'id'), ...repeatedAliases(voices)],
      alert_rules: repeatedRules(alert_rules),
      keys: repeatedNames(keys),
      webhooks: repeatedNames(webhooks),
    };
    return Object.entries(findings).flatMap(([part, found]) =>
      found.map((finding) => ({ ...finding, path: ['accounts', index, part, ...finding.path] })),
    );
  });
  const twice = repeatedValues(accounts.map(({ account }) => account)).map(([index, first, input]) => ({
    type: 'repeated',
    msg: `The same account stands at accounts[${first}]: put its keys together`,
    path: ['accounts', index, 'account'],
    input,
  }));
  return [...twice, ...inAccounts];
}

/** How much of a file an account is. */
export function countObjects(account: FileAccount): number {
  const { keys = [], webhooks = [], alert_rules: rules = [], budgets = [], voices = [] } = account;
  return [keys, webhooks, rules, budgets, voices].reduce((sum, { length }) => sum + length, 0);
}

function repeatedField<F extends string>(resources: readonly { [K in F]?: string }[], field: F) {
  return repeatedValues(resources.map((each) => each[field])).map(([index, first, input]) => ({
    type: 'repeated',
    msg: `The same ${field} stands at [${first}]`,
    path: [index, field] as FindingPath,
    input,
    first,
  }));
}

/** Names must differ, except of those that all have an id. */
function repeatedNames(resources: readonly { id?: string; name: string }[]) {
  const names = repeatedField(resources, 'name')
    .filter(({ path: [index], first }) => !(resources[Number(index)]!.id && resources[first]!.id))
    .map((found) => ({ ...found, msg: `${found.msg}: give it another name, or each of the two its id` }));
  return [...repeatedField(resources, 'id'), ...names];
}

/** An account finds one voice under an alias. */
function repeatedAliases(voices: readonly FileVoice[]) {
  const places = voices.flatMap(({ aliases }, index) =>
    [...new Set(aliases)].map((alias) => ({ alias, path: [index, 'aliases', aliases.indexOf(alias)] })),
  );
  return repeatedValues(places.map(({ alias }) => alias)).map(([index, first, input]) => ({
    type: 'repeated',
    msg: `The same alias stands at [${places[first]!.path[0]}]`,
    path: places[index]!.path,
    input,
  }));
}

/** Of a kind, one rule for each key and threshold. */
function repeatedRules(rules: readonly FileAlertRule[]) {
  return repeatedValues(
    rules.map(({ kind, threshold, key }) => JSON.stringify([kind, threshold ?? null, key ?? null])),
  ).map(([index, first]) => ({
    type: 'repeated',
    msg: `The same kind with the same threshold stands at [${first}]`,
    path: [index, 'kind'] as FindingPath,
    input: rules[index]!.kind,
  }));
}

function repeatedValues<T>(values: readonly (T | undefined)[]): [index: number, first: number, value: T][] {
  const first = new Map<T, number>();
  return values.flatMap((value, index) => {
    if (value === undefined) return [];
    const before = first.get(value);
    if (before === undefined) first.set(value, index);
    return before === undefined ? [] : [[index, before, value] as [number, number, T]];
  });
}
