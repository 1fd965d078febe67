import type { PolicyDryRun } from '@app/administration/keys/key-policies.service';
import { policyVersion } from '@app/domain/keys/key-policy-version';
import type { ShortenedKeys } from '@app/administration/keys/key-shortening.service';
import type { KeyPolicy } from '@app/database/key-policies/key-policy.entity';
import type { NamedKeyPolicy, PolicyScope } from '@app/database/key-policies/key-policy.repository';
import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { DomainError } from '@app/domain/errors';
import {
  GRACE_DAYS,
  POLICY_FIELD_NAMES,
  POLICY_FIELDS,
  toWireRules,
  type PolicyFieldName,
  type WirePolicyRules,
} from '@app/domain/keys/key-policy';
import { checkOfKind } from '@app/domain/keys/key-settings';
import { checkedBody } from '../http/checked-body';
import { choose } from '../http/choose';
import { IntegerField, StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import { UndoMinutesField } from '../http/undo-minutes';

function rulesBody<B extends object>(base: new () => B): new () => B & Partial<WirePolicyRules> {
  return checkedBody(base, POLICY_FIELD_NAMES, (name: PolicyFieldName) => ({
    check: checkOfKind(POLICY_FIELDS[name]),
    optional: true,
    nullable: true,
  })) as new () => B & Partial<WirePolicyRules>;
}

const GRACE = { min: 1, max: 365, optional: true };

export class SaveKeyPolicyBody extends rulesBody(ReasonBody) {}

export class KeyPolicyDryRunBody extends rulesBody(Object) {
  /** Days that a key which is older already would keep working. */
  @IntegerField(GRACE)
  grace_days: number = GRACE_DAYS;
}

export class ApplyKeyPolicyBody extends ReasonBody {
  /** Days that a key which is older already keeps working. */
  @IntegerField(GRACE)
  grace_days: number = GRACE_DAYS;

  /** How many keys the dry run would shorten, typed. */
  @StringField({ min: 1, max: 20 })
  confirm: string;

  /** The keys get their former expiry back after that time, unless the change is kept. */
  @UndoMinutesField()
  undo_after_minutes?: number | null;
}

export interface AppliedPolicyResponse extends ReturnType<typeof toAppliedResponse> {}

export function toAppliedResponse({ shortened, changeId, receipt }: ShortenedKeys) {
  return {
    shortened,
    /** The change of many keys that can be undone; null when no key was changed. */
    change_id: changeId,
    receipt,
  };
}

/** @throws DomainError for the name of no tier */
export function toTierScope(input: string): PolicyScope {
  const tier = TIER_NAMES.find((name) => name === input);
  if (tier) return { tier, accountId: null };
  const reason = `There is no tier '${input.slice(0, 100)}'. Accepted: ${TIER_NAMES.join(', ')}.`;
  throw new DomainError('invalid_parameters', { reason }, { param: 'tier' });
}

export interface KeyPolicyResponse extends ReturnType<typeof toKeyPolicyResponse> {}

export function toKeyPolicyResponse(policy: KeyPolicy) {
  return {
    /** Of a policy for a tier. */
    tier: policy.tier,
    /** Of a policy for an account. */
    account_id: policy.accountId,
    ...toWireRules(policy),
    /** For `If-Match`; `"v0"` is that of a tier or an account without a policy. */
    version: policyVersion(policy),
    updated_at: policy.updatedAt.toISOString(),
  };
}

export interface NamedKeyPolicyResponse extends ReturnType<typeof toNamedKeyPolicyResponse> {}

export function toNamedKeyPolicyResponse(policy: NamedKeyPolicy) {
  return {
    ...toKeyPolicyResponse(policy),
    account_name: policy.accountName,
  };
}

export interface KeyPolicyDryRunResponse extends ReturnType<typeof toDryRunResponse> {}

export function toDryRunResponse(dryRun: PolicyDryRun) {
  return {
    /** Enabled keys that the policy is about. */
    keys: dryRun.keys,
    /** Keys that would expire earlier. */
    shortened: dryRun.shortened,
    /** Those of them that are older already than a key may be: they would expire when the grace is over. */
    older_already: dryRun.olderAlready,
    /** Keys beyond the lifetime that a file of keys manages, and only that file shortens. */
    managed_by_files: dryRun.managed,
    /** Keys with permissions that the policy does not accept; they keep them. */
    more_allowed: dryRun.moreAllowed,
    /** Keys without the allow-list that the policy requires; they work without. */
    without_list: dryRun.withoutList,
    rotation_due: dryRun.rotationDue,
    /** Keys that people would be warned about at once. */
    idle: dryRun.idle,
    /** The first keys that would expire earlier. */
    first: dryRun.first.map(toShortenedKey),
  };
}

export interface ShortenedKeyResponse extends ReturnType<typeof toShortenedKey> {}

function toShortenedKey(key: PolicyDryRun['first'][number]) {
  return choose(key, 'id', 'name', 'accountId', 'accountName', 'expiresAt', 'newExpiresAt');
}
