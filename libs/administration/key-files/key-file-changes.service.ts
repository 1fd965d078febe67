import type { ManagedResource } from '@app/database/keys/key-file.repository';
import { fromWire } from '@app/domain/keys/key-settings';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AlertRulesService } from '../alerts/alert-rules.service';
import { AllowListsService } from '../allow-lists/allow-lists.service';
import type { AuditActor } from '../audit/audit-actors';
import { together, type Change, type ChangeWork } from '../audit/audited-changes';
import type { ChangeRequest } from '../audit/locked-change';
import { BudgetsService } from '../budgets/budgets.service';
import { ApiKeyChangesService } from '../keys/api-key-changes.service';
import type { KeyTarget } from '../keys/key-locks';
import { VoiceAliasesService } from '../voices/voice-aliases.service';
import { WebhooksService, type NewWebhook, type WebhookTarget } from '../webhooks/webhooks.service';
import { byFile } from './file-actor';
import {
  FILE_DISABLE_REASON,
  toBudgetSettings,
  toEntries,
  type AccountPlan,
  type KeyReference,
  type PlannedChange,
  type PlannedSettings,
} from './key-file-plan';

/** A secret of a key or a webhook that was just created. */
export interface NewFileSecret {
  kind: 'key' | 'webhook';
  account: string;
  accountId: string;
  name: string;
  id: string;
  secret: string;
}

interface Applying {
  deliver: ((secrets: NewFileSecret[]) => Promise<void>) | null;
  reason: string | null;
}

/** A change of a file that was refused. */
class FailedChange extends Error {
  constructor(
    readonly change: PlannedChange,
    override readonly cause: Error,
  ) {
    super(cause.message);
  }
}

/** Makes the changes of a file through the services that staff use: the same rules, the same audit log. */
@Injectable()
export class KeyFileChangesService {
  constructor(
    private readonly keys: ApiKeyChangesService,
    private readonly lists: AllowListsService,
    private readonly webhooks: WebhooksService,
    private readonly rules: AlertRulesService,
    private readonly budgets: BudgetsService,
    private readonly aliases: VoiceAliasesService,
  ) {}

  /** Releases what a file manages: it stays as it is. */
  releasing({ kind, id, accountId }: ManagedResource, request: ChangeRequest): ChangeWork {
    return kind === 'key'
      ? this.keys.managing({ ...request, keyId: id }, null)
      : this.webhooks.managing({ ...request, accountId, webhookId: id }, null);
  }

  /**
   * Everything that a file changes in an account, as one change. New secrets are delivered as its last step: a process that
   * dies between the two leaves secrets of keys that do not exist, and never a key without its secret.
   */
  applying(file: string, account: AccountPlan, { deliver, reason }: Applying): ChangeWork {
    const request = { actor: byFile(file), reason: reason ?? `Applied from the file of keys ${file}` };
    return async (em) => {
      const changes: Change<unknown>[] = [];
      const secrets: NewFileSecret[] = [];
      for (const planned of account.changes) {
        try {
          for (const change of await this.make(planned, account, { ...request, file }, secrets, em))
            changes.push(change);
        } catch (error) {
          throw new FailedChange(planned, error as Error);
        }
      }
      if (secrets.length > 0) await deliver?.(secrets);
      return together(changes, undefined);
    };
  }

  /** Which change of a file an error is about, if it is about one. */
  whatFailed(error: unknown): { change: PlannedChange | null; cause: Error } {
    if (error instanceof FailedChange) return error;
    return { change: null, cause: error as Error };
  }

  private async make(
    planned: PlannedChange,
    account: AccountPlan,
    request: { actor: AuditActor; reason: string; file: string },
    secrets: NewFileSecret[],
    em: EntityManager,
  ): Promise<Change<unknown>[]> {
    const { file, ...audited } = request;
    const { id, version, kind } = planned;
    if (kind === 'account') return [await this.changingList(planned, audited)(em)];
    if (kind === 'rule') return [await this.changingRule(planned, account, request, secrets)(em)];
    if (kind === 'budget') return [await this.changingBudget(planned, account, request, secrets)(em)];
    if (kind === 'voice') {
      const target = { ...audited, voiceId: id!, expected: [version!] };
      return [await this.aliases.setting(target, planned.after.aliases!)(em)];
    }
    const done: Change<unknown>[] = [];
    const run = async (works: ChangeWork[]) => {
      for (const work of works) done.push(await work(em));
    };
    if (planned.action === 'create') {
      const created = await this.creating(planned, account, request)(em);
      done.push(created);
      secrets.push({
        ...created.result,
        kind,
        account: account.account,
        accountId: account.accountId,
        name: planned.name,
      });
      if (kind === 'key') await run(this.completing(created.result.id, planned.after, audited));
      else if (planned.after.enabled === false) {
        const target = {
          ...audited,
          accountId: account.accountId,
          webhookId: created.result.id,
          expected: 'any',
        } as const;
        await run([this.webhooks.editing(target, { enabled: false })]);
      }
      return done;
    }
    // The first of the changes counts the version; the others follow in the same transaction.
    const expected = [version!];
    if (kind === 'key') await run(this.changingKey(planned, file, { ...audited, keyId: id!, expected }));
    else {
      const target = { ...audited, accountId: account.accountId, webhookId: id!, expected };
      await run(this.changingWebhook(planned, file, target));
    }
    return done;
  }

  private changingList(
    { id, version, after: { allowed_ips: list } }: PlannedChange,
    audited: Omit<ChangeRequest, 'expected'>,
  ): ChangeWork {
    const target = { ...audited, owner: { kind: 'account' as const, id: id! }, expected: [version!] };
    return this.lists.replacing(target, { entries: toEntries(list ?? null) });
  }

  private changingRule(
    { action, id, version, after, ofKey = null }: PlannedChange,
    { accountId }: AccountPlan,
    { actor, reason }: { actor: AuditActor; reason: string },
    secrets: readonly NewFileSecret[],
  ): ChangeWork<unknown> {
    if (action === 'create') {
      const { kind, threshold = null, channels = [], enabled = true } = after;
      const rule = { kind: kind!, threshold, channels, enabled, keyId: keyIdOf(ofKey, secrets) };
      return this.rules.creating(actor, accountId, rule, reason);
    }
    const target = { actor, reason, accountId, ruleId: id!, expected: [version!] };
    if (action === 'delete') return this.rules.removing(target);
    const { channels, enabled } = after;
    return this.rules.editing(target, { channels, enabled });
  }

  private changingBudget(
    { action, id, version, after, ofKey = null }: PlannedChange,
    { accountId }: AccountPlan,
    { actor, reason }: { actor: AuditActor; reason: string },
    secrets: readonly NewFileSecret[],
  ): ChangeWork<unknown> {
    if (action === 'create')
      return this.budgets.creating(
        actor,
        accountId,
        toBudgetSettings(after, keyIdOf(ofKey, secrets)),
        reason,
      );
    const target = { actor, reason, accountId, budgetId: id!, expected: [version!] };
    if (action === 'delete') return this.budgets.deleting(target);
    return this.budgets.editing(target, { amount: after.amount });
  }

  private creating(
    { kind, after, serviceAccountId }: PlannedChange,
    { accountId }: AccountPlan,
    { actor, reason, file }: { actor: AuditActor; reason: string; file: string },
  ): ChangeWork<{ id: string; secret: string }> {
    if (kind === 'webhook')
      return this.webhooks.creating(actor, accountId, after as NewWebhook, reason, file);
    const { allowed_ips: list, ...settings } = after;
    const input = {
      ...fromWire(settings),
      name: after.name!,
      permissions: after.permissions!,
      accountId,
      serviceAccountId: serviceAccountId ?? null,
      allowedIps: list ? list.map(({ address }) => address) : null,
      managedBy: file,
    };
    const creating = this.keys.creating(actor, input, reason);
    return async (em) => {
      const { result, ...change } = await creating(em);
      return { ...change, result: { id: result.keyId, secret: result.secret } };
    };
  }

  /** What a new key gets after it was created: notes and ends of its list, and whether it is disabled. */
  private completing(
    keyId: string,
    { allowed_ips: list, enabled }: PlannedSettings,
    audited: Omit<ChangeRequest, 'expected'>,
  ): ChangeWork[] {
    const target = { ...audited, keyId, expected: 'any' } as const;
    return [
      ...(list?.some(({ note, ends_at }) => note !== null || ends_at !== null)
        ? [this.lists.replacing(listOf(target), { entries: toEntries(list) })]
        : []),
      ...(enabled === false ? [this.keys.disabling(target, FILE_DISABLE_REASON)] : []),
    ];
  }

  private changingKey({ action, after }: PlannedChange, file: string, target: KeyTarget): ChangeWork[] {
    if (action === 'delete') return [this.keys.deleting(target)];
    const { allowed_ips: list, enabled, ...settings } = after;
    const works = [
      (each: KeyTarget) => (action === 'adopt' ? this.keys.managing(each, file) : null),
      (each: KeyTarget) =>
        list === undefined ? null : this.lists.replacing(listOf(each), { entries: toEntries(list) }),
      (each: KeyTarget) =>
        Object.keys(settings).length > 0 ? this.keys.editing(each, fromWire(settings)) : null,
      (each: KeyTarget) => (enabled === true ? this.keys.enabling(each) : null),
      (each: KeyTarget) => (enabled === false ? this.keys.disabling(each, FILE_DISABLE_REASON) : null),
    ];
    return inTurn(works, target);
  }

  private changingWebhook(
    { action, after }: PlannedChange,
    file: string,
    target: WebhookTarget,
  ): ChangeWork[] {
    if (action === 'delete') return [this.webhooks.deleting(target)];
    const works = [
      (each: WebhookTarget) => (action === 'adopt' ? this.webhooks.managing(each, file) : null),
      (each: WebhookTarget) =>
        Object.keys(after).length > 0 ? this.webhooks.editing(each, after as Partial<NewWebhook>) : null,
    ];
    return inTurn(works, target);
  }
}

/** A key that this change creates is found among the new secrets. */
function keyIdOf(key: KeyReference, secrets: readonly NewFileSecret[]): string | null {
  if (key === null) return null;
  if ('id' in key) return key.id;
  return secrets.find(({ kind, name }) => kind === 'key' && name === key.name)!.id;
}

/** The first change is based on the version of the plan, and the others on the one before them. */
function inTurn<T extends ChangeRequest>(
  works: readonly ((target: T) => ChangeWork | null)[],
  target: T,
): ChangeWork[] {
  let next = target;
  return works.flatMap((work) => {
    const created = work(next);
    if (created === null) return [];
    next = { ...target, expected: 'any' };
    return [created];
  });
}

/** The same change, of the key's list. */
function listOf({ keyId, ...request }: KeyTarget) {
  return { ...request, owner: { kind: 'key' as const, id: keyId } };
}
