import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
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
import { DomainError } from '@app/domain/errors';
import { policyProblems, type KeyPolicyRules } from '@app/domain/keys/key-policy';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { accountNotFound } from '../accounts/accounts.service';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges, difference } from '../audit/audited-changes';
import { toBatchEvents } from '../audit/batch-events';
import { MadeChangesService } from './made-changes.service';

/** Keys of one change: what a transaction can hold. */
const MAX_KEYS = 10_000;
/** Keys that a dry run names. */
const NAMED = 50;

/** What a policy would do, with the first keys that would expire earlier. */
export interface PolicyDryRun extends PolicyReach {
  first: ShortenedKey[];
}

interface Apply {
  /** The number of keys that the member of staff has read and typed. */
  confirm: string;
  graceDays: number;
  /** When the keys get their former expiry back unless the change is kept; null for never. */
  dueAt: Date | null;
  reason: string;
}

/** What applying a policy has done. */
export interface AppliedPolicy {
  shortened: number;
  /** The change of many keys that can be undone; null when no key was changed. */
  changeId: string | null;
  receipt: ChangeReceipt | null;
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
    private readonly made: MadeChangesService,
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

  /**
   * Gives every key that would work for longer than the policy allows an expiry, if they are still as many as were confirmed;
   * else none. It is a change of many keys, which can be undone as a whole, or key by key.
   */
  async apply(
    actor: AuditActor,
    scope: PolicyScope,
    { confirm, graceDays, dueAt, reason }: Apply,
  ): Promise<AppliedPolicy> {
    await this.requireScope(scope);
    const { result, receipt } = await this.changes.make(async (em) => {
      const policy = await this.policies.find(scope, em);
      if (!policy) throw policyNotFound(scope);
      const keys = await this.policies.listShortened(scope, policy, { graceDays, limit: MAX_KEYS + 1 }, em);
      if (keys.length > MAX_KEYS) throw tooMany();
      if (String(keys.length) !== confirm.trim()) {
        const params = { count: keys.length, confirmed: confirm.trim() };
        throw new DomainError('selection_changed', params, { param: 'confirm' });
      }
      const id = randomUUID();
      const changed = await this.policies.shorten(keys, actor.name, em);
      const keyIds = changed.map((key) => key.id);
      const { accountId, tier } = scope;
      const latest = new Date(Math.max(...keys.map(({ newExpiresAt }) => newExpiresAt.getTime())));
      if (keyIds.length > 0) {
        const edit = { action: 'set_expiry', value: latest.toISOString() } as const;
        await this.made.record(actor, { id, edit, filter: { ...scope }, reason, dueAt }, changed, em);
      }
      const after = {
        max_lifetime_days: policy.maxLifetimeDays,
        grace_days: graceDays,
        ...(tier && { tier }),
        ...(dueAt && { undo_due_at: dueAt }),
      };
      const target = {
        type: 'api_keys',
        id,
        ...(accountId !== null && { accountId }),
      } as const;
      const events = toBatchEvents(
        keyIds,
        { actor, action: 'keys.expiry_shortened', target, after, reason },
        'key_ids',
      );
      const done = { shortened: keyIds.length, changeId: keyIds.length > 0 ? id : null };
      return { result: done, events, ...(keyIds.length > 0 && { announce: { keyIds } }) };
    });
    return { ...result, receipt };
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

function policyNotFound({ tier, accountId }: PolicyScope): DomainError {
  return new DomainError('key_policy_not_found', {
    whose: tier === null ? `account ${accountId}` : `tier ${tier}`,
  });
}

function tooMany(): DomainError {
  const reason = `The policy concerns more than ${MAX_KEYS} keys; no more can be changed at once. Apply it account by account.`;
  return new DomainError('invalid_parameters', { reason });
}
