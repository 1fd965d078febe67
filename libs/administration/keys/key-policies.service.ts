import { AccountRepository } from '@app/database/accounts/account.repository';
import { KeyFindingRepository } from '@app/database/key-safety/key-finding.repository';
import type { KeyPolicy } from '@app/database/key-policies/key-policy.entity';
import {
  KeyPolicyRepository,
  type NamedKeyPolicy,
  type PolicyReach,
  type PolicyScope,
  type ShortenedKey,
} from '@app/database/key-policies/key-policy.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { policyProblems, type KeyPolicyRules } from '@app/domain/keys/key-policy';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { accountNotFound } from '../accounts/accounts.service';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges, difference } from '../audit/audited-changes';
import { KeyShorteningService, type ShortenedKeys, type ShorteningRequest } from './key-shortening.service';
import { policyNotFound } from './policy-not-found';

/** Keys that a dry run names. */
const NAMED = 50;

/** What a policy would do, with the first keys that would expire earlier. */
export interface PolicyDryRun extends PolicyReach {
  first: ShortenedKey[];
}

const NAMES: Record<keyof KeyPolicyRules, string> = {
  maxLifetimeDays: 'max_lifetime_days',
  rotationAgeDays: 'rotation_age_days',
  idleWarnDays: 'idle_warn_days',
  idleDisableDays: 'idle_disable_days',
};

const NOTHING: KeyPolicyRules = {
  maxLifetimeDays: null,
  rotationAgeDays: null,
  idleWarnDays: null,
  idleDisableDays: null,
};

/** What tiers and accounts demand of their keys. Saving a policy changes no key; applying its lifetime does. */
@Injectable()
export class KeyPoliciesService {
  constructor(
    private readonly changes: AuditedChanges,
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
    return this.policies.findHolding(await this.requireAccount(accountId));
  }

  /** Sets the policy of a tier or an account. It holds for new keys and edits from now on. */
  async save(
    actor: AuditActor,
    scope: PolicyScope,
    rules: KeyPolicyRules,
    reason: string,
  ): Promise<KeyPolicyRules> {
    refuseBadRules(rules);
    await this.requireScope(scope);
    await this.changes.make(async (em) => {
      const before = await this.policies.find(scope, em);
      const changed = difference(before ? rulesOf(before) : NOTHING, rules);
      if (before && Object.keys(changed.after).length === 0) return { result: undefined, events: [] };
      await this.policies.save(scope, rules, em);
      await this.lookAgain(scope, em);
      const event = {
        actor,
        action: 'key_policy.saved',
        target: targetOf(scope),
        before: audited(changed.before),
        after: audited(changed.after),
        reason,
      };
      return { result: undefined, events: [event] };
    });
    return rules;
  }

  /** Removes the policy of a tier or an account; an account is then under that of its tier. */
  async remove(actor: AuditActor, scope: PolicyScope, reason: string): Promise<void> {
    await this.requireScope(scope);
    await this.changes.make(async (em) => {
      const before = await this.policies.find(scope, em);
      if (!before) throw policyNotFound(scope);
      await this.policies.delete(scope, em);
      await this.lookAgain(scope, em);
      const event = { actor, action: 'key_policy.removed', target: targetOf(scope) };
      return { result: undefined, events: [{ ...event, before: audited(rulesOf(before)), reason }] };
    });
  }

  /** What rules would concern if they held for a tier or an account; changes nothing. */
  async dryRun(scope: PolicyScope, rules: KeyPolicyRules, graceDays: number): Promise<PolicyDryRun> {
    refuseBadRules(rules);
    await this.requireScope(scope);
    const [reach, first] = await Promise.all([
      this.policies.measure(scope, rules, graceDays),
      this.policies.listShortened(scope, rules, { graceDays, limit: NAMED }),
    ]);
    return { ...reach, first };
  }

  /** Gives the keys of a tier or an account the expiry that its policy allows. */
  async apply(actor: AuditActor, scope: PolicyScope, wanted: ShorteningRequest): Promise<ShortenedKeys> {
    await this.requireScope(scope);
    return this.shortening.make(actor, scope, wanted);
  }

  /** The findings about the keys of an account are made again at once; those of a tier with the next pass. */
  private async lookAgain({ accountId }: PolicyScope, em: EntityManager): Promise<void> {
    if (accountId !== null) await this.findings.markDue([accountId], em);
  }

  private async requireScope({ accountId }: PolicyScope): Promise<void> {
    if (accountId !== null) await this.requireAccount(accountId);
  }

  private async requireAccount(accountId: string) {
    const account = await this.accounts.find(accountId);
    if (!account) throw accountNotFound(accountId);
    return account;
  }
}

function rulesOf({ maxLifetimeDays, rotationAgeDays, idleWarnDays, idleDisableDays }: KeyPolicyRules) {
  return { maxLifetimeDays, rotationAgeDays, idleWarnDays, idleDisableDays };
}

function audited(rules: Partial<KeyPolicyRules>): object {
  return Object.fromEntries(
    (Object.keys(rules) as (keyof KeyPolicyRules)[]).map((name) => [NAMES[name], rules[name]]),
  );
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
    path: [NAMES[field]],
    msg: `Input should be ${accepted}`,
    input: rules[field],
  }));
  if (problems.length > 0) throw new InvalidInput(problems);
}
