import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import type { ListOwner } from '@app/database/keys/allow-list.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { budgetDryRunSentence, budgetSubject } from '@app/domain/credits/budget';
import { DRY_RUN_FIELDS } from '@app/domain/keys/key-fields';
import { fromWire } from '@app/domain/keys/key-settings';
import { Injectable } from '@nestjs/common';
import { whatIsUnusual, whyConfirm } from '../allow-lists/allow-list-confirmation';
import { AllowListDryRunsService, RECENT_DAYS } from '../allow-lists/allow-list-dry-runs.service';
import { BudgetsService } from '../budgets/budgets.service';
import { KeyDryRunsService } from '../keys/key-dry-runs.service';
import { actorIdOf } from './file-actor';
import {
  toBudgetSettings,
  toEntries,
  type AccountState,
  type Drift,
  type PlannedChange,
  type PlannedSettings,
} from './key-file-plan';
import { lifetimeWarning, settingsWarnings } from './settings-warnings';

/** Days of requests and charges that settings are tried against. */
const SETTINGS_DAYS = 30;

/** Events of one key or webhook that are searched for who has changed a setting. */
const EVENTS_SEARCHED = 50;

/** The settings of a file by their names in the audit log, where those differ. */
const AUDIT_NAMES: Record<string, string> = { enabled: 'disable_reason' };

/** What a plan says of each change: who has changed the same since, and what would follow. */
@Injectable()
export class KeyFileDetailsService {
  constructor(
    private readonly events: AuditLogRepository,
    private readonly dryRuns: AllowListDryRunsService,
    private readonly settings: KeyDryRunsService,
    private readonly budgets: BudgetsService,
  ) {}

  /** For every setting that differs: who has changed it since the file was applied, if it was not the file. */
  async findDrift(file: string, { id, action, before }: PlannedChange): Promise<Drift[]> {
    if (id === null || action !== 'update') return [];
    const reader = { id: '', scope: 'all' } as const;
    const page = { beforeId: null, limit: EVENTS_SEARCHED };
    const events = await this.events.list({ targetId: id }, reader, page);
    return Object.keys(before).flatMap((field) => {
      const name = AUDIT_NAMES[field] ?? field;
      const last = events.find(({ after }) => hasField(after, name) || hasField(after, field));
      if (!last || last.actorId === actorIdOf(file)) return [];
      return [{ field, by: last.actorName, at: last.at.toISOString(), reason: last.reason }];
    });
  }

  /** What has to be confirmed about a change, by dry runs of what it sets. */
  async listWarnings(change: PlannedChange, state: AccountState): Promise<string[]> {
    const { kind, action, id, after } = change;
    if (action === 'delete') return [`The ${kind} is no longer in the file, and is deleted.`];
    if (kind === 'account')
      return this.allowListWarnings({ kind, id: id! }, after, state.list.allowedIps !== null);
    if (kind === 'budget') return this.budgetWarnings(change, state);
    if (kind !== 'key') return [];
    const lifetime = lifetimeWarnings(change, state);
    if (id === null) return [...lifetime, ...this.firstListWarnings(after)];
    const hasList = state.keys.some((key) => key.id === id && key.allowedIps !== null);
    return [
      ...lifetime,
      ...(await this.allowListWarnings({ kind, id }, after, hasList)),
      ...(await this.settingsWarnings(id, after)),
    ];
  }

  /** Of the list of a new key, which has no traffic yet. */
  private firstListWarnings({ allowed_ips: list }: PlannedSettings): string[] {
    const draft = list ? this.dryRuns.read({ entries: toEntries(list) }) : null;
    return draft ? whatIsUnusual(draft.parsed) : [];
  }

  private async allowListWarnings(
    owner: ListOwner,
    after: PlannedSettings,
    hasList: boolean,
  ): Promise<string[]> {
    if (after.allowed_ips === undefined) return [];
    const draft = this.dryRuns.read({ entries: toEntries(after.allowed_ips) });
    const dryRun = await this.dryRuns.run(owner, draft, RECENT_DAYS);
    return whyConfirm(draft?.parsed ?? null, dryRun, hasList);
  }

  /** What a budget would have refused; nothing for one of a key or a tag that the file creates. */
  private async budgetWarnings(
    { id, after, ofKey = null }: PlannedChange,
    { account, budgets }: AccountState,
  ): Promise<string[]> {
    if (ofKey && 'name' in ofKey) return [];
    const { amount = 0 } = after;
    const present = budgets.find((budget) => budget.id === id);
    const { keyId, tag, subject, operations, window, timeZone } =
      present ?? toBudgetSettings(after, ofKey?.id ?? null);
    const tried = { amount, operations, window, timeZone, ...budgetSubject(keyId, tag, subject) };
    const dryRun = await this.budgets.dryRun(account.id, tried).catch(refusedAsUnknown);
    return dryRun && dryRun.refused !== 0 ? [budgetDryRunSentence(dryRun)] : [];
  }

  /** What new permissions and limits would have done to the requests and charges of the last days. */
  private async settingsWarnings(
    id: string,
    { allowed_ips: _, ...after }: PlannedSettings,
  ): Promise<string[]> {
    if (DRY_RUN_FIELDS.every((name) => after[name] === undefined)) return [];
    return settingsWarnings(await this.settings.run(id, fromWire(after), SETTINGS_DAYS));
  }
}

/** A tag that the file gives to a key first has no charges yet; applying reports anything else that is wrong. */
function refusedAsUnknown(error: unknown): null {
  if (error instanceof InvalidInput) return null;
  throw error;
}

/** An expiry that the policy of the account does not accept: applying it is refused. */
function lifetimeWarnings(
  { id, name, after: { expires_at: time } }: PlannedChange,
  { keys, policy }: AccountState,
): string[] {
  if (time === undefined) return [];
  const present = keys.find((key) => key.id === id);
  const secretCreatedAt = present?.secretCreatedAt ?? new Date();
  const key = { name, expiresAt: time === null ? null : new Date(time), secretCreatedAt };
  const warning = lifetimeWarning(key, policy);
  return warning === null ? [] : [`${warning} Applying it is refused.`];
}

function hasField(value: unknown, field: string): boolean {
  return typeof value === 'object' && value !== null && field in value;
}
