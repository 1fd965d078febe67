import type { PolicyDryRun } from '@app/administration/keys/key-policies.service';
import { policyVersion } from '@app/domain/keys/key-policy-version';
import type { ShortenedKeys } from '@app/administration/keys/key-shortening.service';
import type { KeyPolicy } from '@app/database/key-policies/key-policy.entity';
import type { NamedKeyPolicy, PolicyScope } from '@app/database/key-policies/key-policy.repository';
import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { DomainError } from '@app/domain/errors';
import { GRACE_DAYS, MAX_POLICY_DAYS, type KeyPolicyRules } from '@app/domain/keys/key-policy';
import { choose } from '../http/choose';
import { IntegerField, StringField } from '../http/fields';
import { REASON, ReasonBody } from '../http/reason';
import { UndoMinutesField } from '../http/undo-minutes';

const DAYS = { min: 1, max: MAX_POLICY_DAYS, optional: true, nullable: true };

class PolicyFields {
  /** Days that a key may work from its newest secret on; null or left out for any time. */
  @IntegerField(DAYS)
  max_lifetime_days?: number | null;

  /** Days after which a key should have a new secret. */
  @IntegerField(DAYS)
  rotation_age_days?: number | null;

  /** Days without a request after which people are warned. */
  @IntegerField(DAYS)
  idle_warn_days?: number | null;

  /** Days from the warning on after which a key that was not used is disabled; null only warns. */
  @IntegerField(DAYS)
  idle_disable_days?: number | null;
}

const GRACE = { min: 1, max: 365, optional: true };

export class SaveKeyPolicyBody extends PolicyFields {
  @StringField(REASON)
  reason: string;
}

export class KeyPolicyDryRunBody extends PolicyFields {
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

export function toRules(body: PolicyFields): KeyPolicyRules {
  return {
    maxLifetimeDays: body.max_lifetime_days ?? null,
    rotationAgeDays: body.rotation_age_days ?? null,
    idleWarnDays: body.idle_warn_days ?? null,
    idleDisableDays: body.idle_disable_days ?? null,
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
    ...choose(policy, 'maxLifetimeDays', 'rotationAgeDays', 'idleWarnDays', 'idleDisableDays'),
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
