import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import { ALERT_RULE_CHECKS, type AlertChannel } from '@app/domain/alerts/alert-rule';
import { TIER_NAMES, type Tier } from '@app/domain/accounts/tiers';
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
import { checkForwardRules, type ForwardRule } from '@app/domain/keys/forward-rules';
import { POLICY_FIELD_NAMES, POLICY_FIELDS, type WirePolicyRules } from '@app/domain/keys/key-policy';
import { checkOfKind } from '@app/domain/keys/key-settings';
import { MAX_ALLOW_LIST_ENTRIES } from '@app/domain/allow-lists/allow-list';
import { checkTag } from '@app/domain/common/tags';
import {
  ACCOUNT_BOUNDS,
  MANAGEABLE_PERMISSIONS,
  MAX_MANAGED_ACCOUNTS,
  MAX_MANAGEMENT_REQUESTS,
  type AccountBound,
  type ManageablePermission,
} from '@app/domain/staff/management-grants';
import { STAFF_ROLES, type StaffRole } from '@app/domain/staff/staff-permissions';
import { ruleProblems } from '../alerts/rule-problems';
import { checkVersion } from '../key-files/key-file';
import { readCheckedYaml } from '../key-files/read-key-file';
import { SCREENING_LISTS, type ScreeningList } from '@app/domain/voices/screening';

/** What the keys of a tier have to be like; null demands nothing. */
/** What is left out demands nothing. */
export interface TierPolicy extends Partial<WirePolicyRules> {
  tier: Tier;
}

export interface ListedText {
  list: ScreeningList;
  text: string;
  /** The account that may use a protected name; null for none. A cell without that account has null. */
  account_id: string | null;
}

/** A rule of the installation, or of a tier. */
export interface CommonAlertRule {
  kind: AlertKind;
  tier: Tier | null;
  /** In the unit of the kind; null for a kind without one. */
  threshold: number | null;
  channels: AlertChannel[];
  enabled: boolean;
}

export interface RoleSetting {
  role: StaffRole;
  second_factor_required: boolean;
}

/** What a service signs in with. Its secret is 190 random bits, which no digest reveals. */
export interface ListedCredential {
  name: string;
  /** SHA-256 of the secret, in hexadecimal. */
  sha256: string;
  last_four: string;
  /** Which requests a reverse proxy may forward with it; left out, they are not managed. */
  forward_rules?: ForwardRule[];
}

/** What a program signs in with that uses the staff API. Its secret is 190 random bits, which no digest reveals. */
export interface ManagedCredential {
  name: string;
  purpose: string;
  /** SHA-256 of the secret, in hexadecimal. */
  sha256: string;
  last_four: string;
  /** E-mail address of the member of staff whose role bounds it; it cannot be changed. */
  creator: string;
  permissions: ManageablePermission[];
  accounts: AccountBound;
  /** With `accounts` `listed`; otherwise empty. */
  account_ids: string[];
  /** With `accounts` `tagged`; otherwise null. */
  tag: string | null;
  /** Empty for every address. */
  allowed_ips: string[];
  requests_per_minute: number;
  expires_at: string;
}

/** The settings of an installation, each part complete. */
export interface Settings {
  key_policies: TierPolicy[];
  /** Whether the list of profane English words counts. */
  profanity: boolean;
  screening: ListedText[];
  alert_rules: CommonAlertRule[];
  roles: RoleSetting[];
  service_credentials: ListedCredential[];
  management_credentials: ManagedCredential[];
}

/** A file of settings. A part that is left out is not managed; one that is there is complete. */
export type SettingsFile = Partial<Settings> & { version: 1 };

/** More than any part may have. */
const MAX_ENTRIES = 2_000;

const ofText = (pattern: RegExp, accepted: string): Check =>
  withSchema({ type: 'string', pattern: pattern.source }, (value) =>
    typeof value === 'string' && pattern.test(value)
      ? []
      : [{ type: 'string_pattern_mismatch', msg: `Input should be ${accepted}` }],
  );

/** An object with all of these fields. */
const complete = (fields: Record<string, Check>) => checkObject(fields, Object.keys(fields));
const listOf = (fields: Record<string, Check>) => checkList(complete(fields), { max: MAX_ENTRIES });

const sha256 = ofText(/^[0-9a-f]{64}$/, '64 hexadecimal digits in lower case');
const lastFour = ofText(/^[0-9A-Za-z]{4}$/, 'the last four characters of the secret');

/** What is wrong with the content of a file of settings, field by field. */
export const checkSettingsFile: Check = checkObject(
  {
    version: checkVersion,
    key_policies: checkList(
      checkObject(
        {
          tier: checkEnum(TIER_NAMES),
          ...Object.fromEntries(
            POLICY_FIELD_NAMES.map((name) => [name, orNullCheck(checkOfKind(POLICY_FIELDS[name]))]),
          ),
        },
        ['tier'],
      ),
      { max: MAX_ENTRIES },
    ),
    profanity: checkBoolean,
    screening: listOf({
      list: checkEnum(SCREENING_LISTS),
      text: checkString({ min: 2, max: 100 }),
      account_id: orNullCheck(checkString({ min: 36, max: 36 })),
    }),
    alert_rules: listOf({
      ...ALERT_RULE_CHECKS,
      tier: orNullCheck(checkEnum(TIER_NAMES)),
    }),
    roles: listOf({ role: checkEnum(STAFF_ROLES), second_factor_required: checkBoolean }),
    service_credentials: checkList(
      checkObject(
        {
          name: checkString({ min: 1, max: 100 }),
          sha256,
          last_four: lastFour,
          forward_rules: checkForwardRules,
        },
        ['name', 'sha256', 'last_four'],
      ),
      { max: MAX_ENTRIES },
    ),
    management_credentials: listOf({
      name: checkString({ min: 1, max: 100 }),
      purpose: checkString({ min: 1, max: 500 }),
      sha256,
      last_four: lastFour,
      creator: checkString({ min: 3, max: 254 }),
      permissions: checkList(checkEnum(MANAGEABLE_PERMISSIONS), { max: MANAGEABLE_PERMISSIONS.length }),
      accounts: checkEnum(ACCOUNT_BOUNDS),
      account_ids: checkList(checkString({ min: 36, max: 36 }), { max: MAX_MANAGED_ACCOUNTS }),
      tag: orNullCheck(checkTag),
      allowed_ips: checkList(checkString({ max: 100 }), { max: MAX_ALLOW_LIST_ENTRIES }),
      requests_per_minute: checkInteger({ min: 1, max: MAX_MANAGEMENT_REQUESTS }),
      expires_at: checkTime,
    }),
  },
  ['version'],
);

/** The fields that an entry of a part is known by. */
const KEYS: Record<keyof Settings, readonly string[]> = {
  key_policies: ['tier'],
  profanity: [],
  screening: ['list', 'text'],
  alert_rules: ['kind', 'tier', 'threshold'],
  roles: ['role'],
  service_credentials: ['sha256'],
  management_credentials: ['sha256'],
};

/** What an entry of a part is known by. */
export function nameOfEntry(part: keyof Settings, entry: object): string {
  const fields = entry as Record<string, string | number | null>;
  return KEYS[part].map((key) => String(fields[key] ?? 'all')).join(' ') || part;
}

/**
 * Reads a file of settings.
 *
 * @param label how the file is called in messages
 * @throws KeyFileError naming everything that is not accepted
 */
export function readSettingsFile(text: string, label: string): SettingsFile {
  const { content } = readCheckedYaml(text, label, (read) => {
    const findings = checkSettingsFile(read);
    if (findings.length > 0) return findings;
    return [...badRules(read as SettingsFile), ...repeatedEntries(read as SettingsFile)];
  });
  return content as SettingsFile;
}

function badRules({ alert_rules: rules = [] }: SettingsFile): Finding[] {
  return rules.flatMap((rule, index) =>
    ruleProblems({ ...rule, scope: rule.tier === null ? 'installation' : 'tier' }).map((problem) => ({
      ...problem,
      path: ['alert_rules', index, ...problem.path],
    })),
  );
}

function repeatedEntries({ version: _, ...parts }: SettingsFile): Finding[] {
  return Object.entries(parts).flatMap(([part, entries]) => {
    if (!Array.isArray(entries)) return [];
    const names = entries.map((entry: object) => nameOfEntry(part as keyof Settings, entry));
    return names.flatMap((name, index) =>
      names.indexOf(name) === index
        ? []
        : [
            {
              type: 'repeated',
              msg: `The same entry stands at [${names.indexOf(name)}]`,
              path: [part, index],
              input: name,
            },
          ],
    );
  });
}
