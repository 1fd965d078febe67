import { AccountRepository } from '@app/database/accounts/account.repository';
import { KeyFindingRepository } from '@app/database/key-safety/key-finding.repository';
import type { KeyPolicy } from '@app/database/key-policies/key-policy.entity';
import {
  KeyPolicyRepository,
  type NamedKeyPolicy,
  type PolicyImpact,
  type PolicyScope,
  type ShortenedKey,
} from '@app/database/key-policies/key-policy.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import {
  disablesMore,
  GRACE_DAYS,
  NO_RULES,
  POLICY_FIELD_NAMES,
  POLICY_FIELDS,
  policyProblems,
  rulesOf,
  toWireRules,
  type KeyPolicyRules,
} from '@app/domain/keys/key-policy';
import { propertyOf } from '@app/domain/common/property-name';
import { policyVersion } from '@app/domain/keys/key-policy-version';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { approvable, args, type ApprovedRequest, type ApprovedWork } from '../approvals/approvable';
import { ApprovalsService } from '../approvals/approvals.service';
import { nullable, number, object, OF_FIELD } from '../approvals/json-shape';
import type { AuditActor } from '../audit/audit-actors';
import type { Change, ChangeWork } from '../audit/audited-changes';
import { difference } from '../audit/locked-change';
import {
  KeyShorteningService,
  SCOPE,
  type ShortenedKeys,
  type ShorteningRequest,
} from './key-shortening.service';
import { policyChanged, policyNotFound } from './policy-refusals';

/** Keys that a dry run names. */
const NAMED = 50;

/** What a policy would do, with the first keys that would expire earlier. */
export interface PolicyDryRun extends PolicyImpact {
  first: ShortenedKey[];
}

/** A policy as a member of staff wants it; null for none. */
interface RequestedPolicy {
  actor: AuditActor;
  scope: PolicyScope;
  rules: KeyPolicyRules | null;
  reason: string;
  /** The version of the policy that the change is based on, see `policyVersion`. */
  expected: ExpectedVersion;
}

/** Another policy in place of the one that was seen; null for none. */
interface PolicyArgs {
  scope: PolicyScope;
  rules: KeyPolicyRules | null;
  before: KeyPolicyRules | null;
}

/** What a release before did not know is left out: it demands nothing. */
const RULES = nullable(
  object({
    ...Object.fromEntries(
      POLICY_FIELD_NAMES.map((name) => [propertyOf(name), OF_FIELD[POLICY_FIELDS[name].kind]]),
    ),
    maxLifetimeDays: nullable(number),
  }),
);

export const POLICY = args<PolicyArgs>(object({ scope: SCOPE, rules: RULES, before: RULES }));

/** What tiers and accounts demand of their keys. Saving a policy changes no key; applying its lifetime does. */
@Injectable()
export class KeyPoliciesService {
  readonly approvable = {
    idle_policy: approvable('idle_policy', POLICY, (approved) => this.changeLater(approved)),
    tier_idle_policy: approvable('tier_idle_policy', POLICY, (approved) => this.changeLater(approved)),
  };

  constructor(
    private readonly approvals: ApprovalsService,
    private readonly policies: KeyPolicyRepository,
    private readonly accounts: AccountRepository,
    private readonly findings: KeyFindingRepository,
    private readonly shortening: KeyShorteningService,
  ) {}

  async list(): Promise<NamedKeyPolicy[]> {
    return this.policies.list();
  }

  /** The policy that holds for an account, which may be that of its tier; null when none does. */
  async findHolding(accountId: string): Promise<KeyPolicy | null> {
    return this.policies.findHolding(await this.accounts.get(accountId));
  }

  /**
   * Sets the policy of a tier or an account. It holds for new keys and edits from now on, and for keys that are idle.
   *
   * @throws ChangeWaits when it would disable so many idle keys that a second person approves it
   */
  async save(
    actor: AuditActor,
    scope: PolicyScope,
    rules: KeyPolicyRules,
    reason: string,
    expected: ExpectedVersion = 'any',
  ): Promise<KeyPolicyRules> {
    refuseBadRules(rules);
    await this.requireScope(scope);
    await this.change({ actor, scope, rules, reason, expected });
    return rules;
  }

  /**
   * Removes the policy of a tier or an account; an account is then under that of its tier.
   *
   * @throws ChangeWaits when that one would disable so many idle keys that a second person approves it
   */
  async remove(
    actor: AuditActor,
    scope: PolicyScope,
    reason: string,
    expected: ExpectedVersion = 'any',
  ): Promise<void> {
    await this.requireScope(scope);
    await this.change({ actor, scope, rules: null, reason, expected });
  }

  /** What rules would concern if they held for a tier or an account; changes nothing. */
  async dryRun(scope: PolicyScope, rules: KeyPolicyRules, graceDays: number): Promise<PolicyDryRun> {
    refuseBadRules(rules);
    await this.requireScope(scope);
    const [impact, first] = await Promise.all([
      this.policies.measure(scope, rules, graceDays),
      this.policies.listShortened(scope, rules, { graceDays, limit: NAMED }),
    ]);
    return { ...impact, first };
  }

  /** Gives the keys of a tier or an account the expiry that its policy allows. */
  async apply(actor: AuditActor, scope: PolicyScope, requested: ShorteningRequest): Promise<ShortenedKeys> {
    await this.requireScope(scope);
    return this.shortening.make(actor, scope, requested);
  }

  private async change(requested: RequestedPolicy): Promise<void> {
    const work: ChangeWork<{ later: PolicyArgs; idle: number }> = async (em) => {
      const before = await this.policies.lock(requested.scope, em);
      checkVersion(requested.expected, policyVersion(before));
      const later = { scope: requested.scope, rules: requested.rules, before: before && rulesOf(before) };
      const idle = await this.countDisabled(later, em);
      return { ...(await this.write(requested, later.before, em)), result: { later, idle } };
    };
    await this.approvals.make(work, {
      approvable: this.approvable[requested.scope.tier === null ? 'idle_policy' : 'tier_idle_policy'],
      actor: requested.actor,
      reason: requested.reason,
      args: ({ result }) => result.later,
      countKeys: ({ result }) => result.idle,
    });
  }

  /** What a second person has approved, if the policy is as it was when that was requested. */
  private changeLater({
    actor,
    reason,
    args: { scope, ...args },
  }: ApprovedRequest<PolicyArgs>): ApprovedWork {
    // A request of the release before has fewer rules.
    const [rules, seen] = [args.rules && rulesOf(args.rules), args.before && rulesOf(args.before)];
    const work: ChangeWork = async (em) => {
      const before = await this.policies.lock(scope, em);
      if (!isDeepStrictEqual(before && rulesOf(before), seen)) throw policyChanged(scope);
      return this.write({ actor, scope, rules, reason, expected: 'any' }, seen, em);
    };
    return { work };
  }

  /** The keys that are idle already, if the policy disables such keys that it did not, or earlier. */
  private async countDisabled({ scope, rules, before }: PolicyArgs, em: EntityManager): Promise<number> {
    const ofTier = await this.findTierRules(scope, em);
    const requested = rules ?? ofTier;
    if (requested === null || !disablesMore(requested, before ?? ofTier)) return 0;
    return (await this.policies.measure(scope, requested, GRACE_DAYS, em)).idle;
  }

  /** What the tier of an account demands of its keys, where the account has no separate policy. */
  private async findTierRules({ accountId }: PolicyScope, em: EntityManager): Promise<KeyPolicyRules | null> {
    if (accountId === null) return null;
    const { tier } = await this.accounts.get(accountId, em);
    const policy = await this.policies.find({ tier, accountId: null }, em);
    return policy && rulesOf(policy);
  }

  private async write(
    { actor, scope, rules, reason }: RequestedPolicy,
    before: KeyPolicyRules | null,
    em: EntityManager,
  ): Promise<Change<void>> {
    if (rules === null && before === null) throw policyNotFound(scope);
    const changed = difference(before ?? NO_RULES, rules ?? NO_RULES);
    if (rules !== null && before !== null && Object.keys(changed.after).length === 0)
      return { result: undefined, events: [] };
    if (rules === null) await this.policies.delete(scope, em);
    else await this.policies.save(scope, rules, em);
    await this.checkAgain(scope, em);
    const event = { actor, target: targetOf(scope), before: toWireRules(changed.before), reason };
    const saved = { action: 'key_policy.saved' as const, after: toWireRules(changed.after) };
    const removed = { action: 'key_policy.removed' as const, before: before && toWireRules(before) };
    return { result: undefined, events: [{ ...event, ...(rules === null ? removed : saved) }] };
  }

  /** The findings about the keys of an account are computed again at once; those of a tier with the next pass. */
  private async checkAgain({ accountId }: PolicyScope, em: EntityManager): Promise<void> {
    if (accountId !== null) await this.findings.markDue([accountId], em);
  }

  private async requireScope({ accountId }: PolicyScope): Promise<void> {
    if (accountId !== null) await this.accounts.get(accountId);
  }
}

function targetOf({ tier, accountId }: PolicyScope) {
  return accountId === null
    ? { type: 'tier' as const, id: tier }
    : { type: 'account' as const, id: accountId, accountId };
}

/** @throws InvalidInput naming every field that contradicts another */
function refuseBadRules(rules: KeyPolicyRules): void {
  const problems = policyProblems(rules).map(({ field, accepted }) => ({
    type: 'value_error',
    path: [field],
    msg: `Input should be ${accepted}`,
    input: toWireRules(rules)[field],
  }));
  if (problems.length > 0) throw new InvalidInput(problems);
}
