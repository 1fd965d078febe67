import type { PolicyDryRun } from '@app/administration/keys/key-policies.service';
import { policyVersion } from '@app/domain/keys/key-policy-version';
import type { ShortenedKeys } from '@app/administration/keys/key-shortening.service';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { KeyPolicy } from '@app/database/key-policies/key-policy.entity';
import type { NamedKeyPolicy, PolicyScope } from '@app/database/key-policies/key-policy.repository';
import { TIER_NAMES, type Tier } from '@app/domain/accounts/tiers';
import { DomainError } from '@app/domain/errors';
import { GRACE_DAYS, MAX_POLICY_DAYS, type KeyPolicyRules } from '@app/domain/keys/key-policy';
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

export interface KeyPolicyResponse {
  /** Of a policy for a tier. */
  tier: Tier | null;
  /** Of a policy for an account. */
  account_id: string | null;
  max_lifetime_days: number | null;
  rotation_age_days: number | null;
  idle_warn_days: number | null;
  idle_disable_days: number | null;
  /** For `If-Match`; `"v0"` is that of a tier or an account without a policy. */
  version: number;
  updated_at: string;
}

export interface NamedKeyPolicyResponse extends KeyPolicyResponse {
  account_name: string | null;
}

interface ShortenedKeyResponse {
  id: string;
  name: string;
  account_id: string;
  account_name: string;
  expires_at: string | null;
  new_expires_at: string;
}

export interface KeyPolicyDryRunResponse {
  /** Enabled keys that the policy is about. */
  keys: number;
  /** Keys that would expire earlier. */
  shortened: number;
  /** Those of them that are older already than a key may be: they would expire when the grace is over. */
  older_already: number;
  /** Keys beyond the lifetime that a file of keys manages, and only that file shortens. */
  managed_by_files: number;
  rotation_due: number;
  /** Keys that people would be warned about at once. */
  idle: number;
  /** The first keys that would expire earlier. */
  first: ShortenedKeyResponse[];
}

export interface AppliedPolicyResponse {
  shortened: number;
  /** The change of many keys that can be undone; null when no key was changed. */
  change_id: string | null;
  receipt: ChangeReceipt | null;
}

export function toAppliedResponse({ changeId, ...applied }: ShortenedKeys): AppliedPolicyResponse {
  return { ...applied, change_id: changeId };
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

export function toKeyPolicyResponse(policy: KeyPolicy): KeyPolicyResponse {
  return {
    tier: policy.tier,
    account_id: policy.accountId,
    max_lifetime_days: policy.maxLifetimeDays,
    rotation_age_days: policy.rotationAgeDays,
    idle_warn_days: policy.idleWarnDays,
    idle_disable_days: policy.idleDisableDays,
    version: policyVersion(policy),
    updated_at: policy.updatedAt.toISOString(),
  };
}

export function toNamedKeyPolicyResponse(policy: NamedKeyPolicy): NamedKeyPolicyResponse {
  return { ...toKeyPolicyResponse(policy), account_name: policy.accountName };
}

export function toDryRunResponse(dryRun: PolicyDryRun): KeyPolicyDryRunResponse {
  return {
    keys: dryRun.keys,
    shortened: dryRun.shortened,
    older_already: dryRun.olderAlready,
    managed_by_files: dryRun.managed,
    rotation_due: dryRun.rotationDue,
    idle: dryRun.idle,
    first: dryRun.first.map((key) => ({
      id: key.id,
      name: key.name,
      account_id: key.accountId,
      account_name: key.accountName,
      expires_at: key.expiresAt?.toISOString() ?? null,
      new_expires_at: key.newExpiresAt.toISOString(),
    })),
  };
}
