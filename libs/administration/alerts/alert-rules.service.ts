import { AccountRepository } from '@app/database/accounts/account.repository';
import type { AlertRule } from '@app/database/alerts/alert-rule.entity';
import {
  AlertRuleRepository,
  DUPLICATE,
  type AlertRulePatch,
  type NamedAlertRule,
} from '@app/database/alerts/alert-rule.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { Tier } from '@app/domain/accounts/tiers';
import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import type { AlertChannel, AlertScope } from '@app/domain/alerts/alert-rule';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges, type ChangeWork } from '../audit/audited-changes';
import { changing, difference, type ChangeRequest, type Edit, type Locked } from '../audit/locked-change';
import { lockOwner } from './alert-owner';
import { ruleProblems } from './rule-problems';
import type { AuditEntry } from '../audit/audit-log';

const MAX_RULES = 200;

/** Which rule a change is about, and who makes it; the account is null for a rule of the installation or a tier. */
export interface AlertRuleTarget extends ChangeRequest {
  accountId: string | null;
  ruleId: string;
}

interface RuleSettings {
  threshold: number | null;
  channels: AlertChannel[];
  enabled: boolean;
}

/** A rule as it is added: for a tier, for a key of the account, or else for the account or the installation. */
export interface NewRule extends RuleSettings {
  kind: AlertKind;
  tier?: Tier | null;
  keyId?: string | null;
}

type Patch = AlertRulePatch | 'delete';

/** Which alerts are sent when and where: every change audited in the same transaction. */
@Injectable()
export class AlertRulesService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly rules: AlertRuleRepository,
  ) {}

  /** @throws DomainError for an unknown account */
  async list(accountId: string | null): Promise<NamedAlertRule[]> {
    if (accountId !== null) await this.accounts.get(accountId);
    return this.rules.list(accountId);
  }

  async get(accountId: string | null, ruleId: string): Promise<NamedAlertRule> {
    const found = (await this.list(accountId)).find(({ id }) => id === ruleId);
    if (!found) throw ruleNotFound(ruleId);
    return found;
  }

  /** Adds a rule; its id. */
  async create(
    actor: AuditActor,
    accountId: string | null,
    rule: NewRule,
    reason: string | null,
  ): Promise<string> {
    return (await this.changes.make(this.creating(actor, accountId, rule, reason))).result;
  }

  /**
   * `create` as a part of a larger change.
   *
   * @throws InvalidInput naming every part that does not fit the kind
   */
  creating(
    actor: AuditActor,
    accountId: string | null,
    { kind, tier = null, keyId = null, ...settings }: NewRule,
    reason: string | null,
  ): ChangeWork<string> {
    const id = randomUUID();
    const scope = scopeOf(accountId, tier, keyId);
    const rule = {
      id,
      scope,
      tier,
      accountId,
      keyId,
      kind,
      ...settings,
      channels: sorted(settings.channels),
    };
    refuseBadRule(rule);
    return async (em) => {
      await lockOwner(this.accounts, accountId, em);
      if (keyId !== null) await this.requireKey(accountId, keyId, em);
      const used = await this.rules.count(accountId, em);
      if (used >= MAX_RULES) throw new DomainError('alert_rule_limit_reached', { used, limit: MAX_RULES });
      await orDuplicate(() => this.rules.insert(rule, em), rule);
      const after = { scope, tier, key_id: keyId, kind, ...auditedOf(rule) };
      const event: AuditEntry = {
        actor,
        action: 'alert_rule.added',
        target: auditTarget(rule),
        after,
        reason,
      };
      return { result: id, events: [event] };
    };
  }

  /** Changes a rule. What it has notified of stays notified. */
  async edit(target: AlertRuleTarget, requested: Partial<RuleSettings>): Promise<void> {
    await this.changes.make(this.editing(target, requested));
  }

  /** `edit` as a part of a larger change. */
  editing(target: AlertRuleTarget, requested: Partial<RuleSettings>): ChangeWork {
    return changing(
      target,
      (em) => this.lock(target, em),
      async (rule) => {
        const edited = { ...rule, ...withoutUndefined(requested) };
        edited.channels = sorted(edited.channels);
        refuseBadRule(edited);
        const changed = difference(auditedOf(rule), auditedOf(edited));
        if (Object.keys(changed.after).length === 0) return null;
        const { threshold, channels, enabled } = edited;
        const about = { kind: rule.kind, threshold };
        return {
          patch: { threshold, channels, enabled },
          action: 'alert_rule.edited',
          before: { ...about, ...changed.before },
          after: { ...about, ...changed.after },
        };
      },
    );
  }

  async remove(target: AlertRuleTarget): Promise<void> {
    await this.changes.make(this.removing(target));
  }

  /** `remove` as a part of a larger change. */
  removing(target: AlertRuleTarget): ChangeWork {
    return changing(
      target,
      (em) => this.lock(target, em),
      async (rule): Promise<Edit<Patch>> => ({
        patch: 'delete',
        action: 'alert_rule.removed',
        before: { kind: rule.kind, scope: rule.scope, ...auditedOf(rule) },
      }),
    );
  }

  private async lock(
    { accountId, ruleId }: Pick<AlertRuleTarget, 'accountId' | 'ruleId'>,
    em: EntityManager,
  ): Promise<Locked<AlertRule, Patch>> {
    const rule = await this.rules.lockOwned(ruleId, accountId, em);
    if (!rule) throw ruleNotFound(ruleId);
    return {
      resource: rule,
      version: rule.version,
      auditTarget: auditTarget(rule),
      save: (patch) =>
        patch === 'delete'
          ? this.rules.delete(rule.id, em)
          : orDuplicate(() => this.rules.update(rule.id, patch, em), { ...rule, ...patch }),
    };
  }

  private async requireKey(accountId: string | null, keyId: string, em: EntityManager): Promise<void> {
    const key = isUuid(keyId) ? await this.keys.find(keyId, em) : null;
    if (!key || key.accountId !== accountId)
      throw new DomainError('api_key_not_found', { keyId: keyId.slice(0, 100) });
  }
}

function scopeOf(accountId: string | null, tier: Tier | null, keyId: string | null): AlertScope {
  if (accountId === null) return tier === null ? 'installation' : 'tier';
  return keyId === null ? 'account' : 'key';
}

/** @throws InvalidInput naming every part that does not fit the kind */
function refuseBadRule(rule: Pick<AlertRule, 'kind' | 'scope' | 'threshold' | 'channels'>): void {
  const problems = ruleProblems(rule);
  if (problems.length > 0) throw new InvalidInput(problems);
}

async function orDuplicate(
  work: () => Promise<void>,
  { kind, threshold }: Pick<AlertRule, 'kind' | 'threshold'>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== DUPLICATE) throw error;
    throw new DomainError('alert_rule_exists', {
      kind,
      ...(threshold !== null && { at: ` at ${threshold}` }),
    });
  }
}

function ruleNotFound(ruleId: string): DomainError {
  return new DomainError('alert_rule_not_found', { ruleId: ruleId.slice(0, 100) });
}

const sorted = (channels: AlertChannel[]) => [...new Set(channels)].sort();

function withoutUndefined<T extends object>(input: T): T {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as T;
}

function auditTarget({ id, accountId }: Pick<AlertRule, 'id' | 'accountId'>) {
  return { type: 'alert_rule', id, ...(accountId !== null && { accountId }) };
}

function auditedOf({ threshold, channels, enabled }: RuleSettings) {
  return { threshold, channels, enabled };
}
