import { plural } from '@app/domain/common/sentences';
import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import { KeyFileError } from '@app/domain/keys/key-file-error';
import { Injectable } from '@nestjs/common';
import { AuditedChanges } from '../audit/audited-changes';
import { byCommandLine } from '../audit/audit-actors';
import { WebhooksService } from '../webhooks/webhooks.service';
import { KeyFileChangesService, type NewFileSecret } from './key-file-changes.service';
import {
  quoted,
  type AccountPlan,
  type AccountState,
  type PlannedChange,
  type PlanProblem,
} from './key-file-plan';
import { KeyFileDetailsService } from './key-file-details.service';
import { KeyFileStateService } from './key-file-state.service';
import { planAccount } from './plan-account';
import { lifetimeWarning } from './settings-warnings';
import { fieldName, type ReadKeyFile } from './read-key-file';

/** What a file would change, account by account. */
export interface KeyFilePlan {
  file: string;
  accounts: AccountPlan[];
}

/** What is needed to apply a file. */
export interface ApplyOptions {
  label: string;
  /** Whether what has to be confirmed is. */
  confirmed: boolean;
  reason: string | null;
  /** A plan that was saved earlier: applied as it is, or not at all. */
  saved: KeyFilePlan | null;
  /** Takes new secrets, before the transaction that creates them commits; null when there is nowhere to put them. */
  deliver: ((secrets: NewFileSecret[]) => Promise<void>) | null;
  onWait: () => void;
  onPlan: (plan: KeyFilePlan) => void;
  onApplied: (account: AccountPlan) => void;
}

/**
 * Keys as code: plans and applies a file of keys. There is no state beside the database: a key knows the name of the file that
 * manages it, and the audit log knows who has changed what since.
 */
@Injectable()
export class KeyFilesService {
  constructor(
    private readonly files: KeyFileRepository,
    private readonly state: KeyFileStateService,
    private readonly fileChanges: KeyFileChangesService,
    private readonly details: KeyFileDetailsService,
    private readonly webhooks: WebhooksService,
    private readonly changes: AuditedChanges,
  ) {}

  /**
   * What a file would change, with dry runs of its allow-lists and who has changed what in between. Changes nothing.
   *
   * @throws KeyFileError naming every field that cannot be applied, with its line
   */
  async plan(read: ReadKeyFile, label: string): Promise<KeyFilePlan> {
    const { name: file, accounts } = read.content;
    const problems: PlanProblem[] = [];
    const plans: AccountPlan[] = [];
    const named = new Map<string, (string | number)[]>();
    for (const [index, input] of accounts.entries()) {
      const at = ['accounts', index];
      const state = await this.state.read(file, input, at);
      if ('message' in state) problems.push(state);
      else if (named.has(state.account.id)) problems.push(sameAccount(at, named.get(state.account.id)!));
      else {
        named.set(state.account.id, at);
        const planned = planAccount(file, input, state, at);
        problems.push(...planned.problems, ...(await this.refusedUrls(planned.plan)));
        plans.push(await this.describe(file, planned.plan, state));
      }
    }
    if (problems.length > 0) throw toError(problems, read, label);
    for (const state of await this.state.readAbandoned(file, new Set(named.keys())))
      plans.push(await this.describe(file, planAccount(file, null, state, []).plan, state));
    return { file, accounts: plans };
  }

  /** Applies a file, one transaction for each account. Waits for another process that applies one. */
  async apply(read: ReadKeyFile, options: ApplyOptions): Promise<KeyFilePlan> {
    return this.files.whileApplying(async () => {
      const plan = await this.plan(read, options.label);
      if (options.saved) requireSame(options.saved, plan);
      options.onPlan(plan);
      requireConfirmed(plan, options);
      for (const [done, account] of plan.accounts.entries()) {
        if (account.changes.length === 0) continue;
        await this.applyAccount(read, account, options, done);
        options.onApplied(account);
      }
      return plan;
    }, options.onWait);
  }

  /** Releases what a file manages, or one of its keys and webhooks: they stay as they are. Returns how many. */
  async release(file: string, id: string | null, reason: string): Promise<number> {
    const managed = (await this.files.listManaged(file)).filter((each) => id === null || each.id === id);
    const request = { actor: byCommandLine(), expected: 'any', reason } as const;
    for (const each of managed) {
      await this.changes.make(this.fileChanges.releasing(each, request));
    }
    return managed.length;
  }

  private async applyAccount(
    { placeOf, content }: ReadKeyFile,
    account: AccountPlan,
    { deliver, reason, label }: ApplyOptions,
    done: number,
  ): Promise<void> {
    try {
      await this.changes.make(this.fileChanges.applying(content.name, account, { deliver, reason }));
    } catch (error) {
      const { change, cause } = this.fileChanges.whatFailed(error);
      const place = change?.path ? `${label}:${placeOf(change.path)}: ` : '';
      const before = done > 0 ? ' The accounts before it were applied.' : '';
      const message = `${place}${whyRefused(cause)} Nothing of the account ${account.accountId} was changed.${before}`;
      throw new KeyFileError([message]);
    }
  }

  /** Addresses of webhooks that would be refused: a name is resolved, which takes a moment. */
  private async refusedUrls({ changes }: AccountPlan): Promise<PlanProblem[]> {
    const problems: PlanProblem[] = [];
    for (const { kind, after, path } of changes) {
      if (kind !== 'webhook' || after.url === undefined) continue;
      try {
        await this.webhooks.checkUrl(after.url);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        problems.push({ path: [...(path ?? []), 'url'], message: error.message });
      }
    }
    return problems;
  }

  private async describe(file: string, plan: AccountPlan, state: AccountState): Promise<AccountPlan> {
    const changes: PlannedChange[] = [];
    for (const change of plan.changes) {
      const drift = await this.details.findDrift(file, change);
      changes.push({ ...change, drift, warnings: await this.details.listWarnings(change, state) });
    }
    return { ...plan, changes, notes: [...plan.notes, ...lifetimeNotes(file, plan, state)] };
  }
}

/** In a sentence, with the input. */
function whyRefused(cause: Error): string {
  if (!(cause instanceof InvalidInput)) return cause.message;
  const sentences = cause.problems.map(
    ({ path, msg, input }) => `${fieldName(path)}: ${msg} (given: ${quoted(String(input))}).`,
  );
  return sentences.join(' ');
}

/** Keys of the file that work for longer than their policy accepts, and stay so: applying a policy leaves them to the file. */
function lifetimeNotes(file: string, { changes }: AccountPlan, { keys, policy }: AccountState): string[] {
  const changed = new Map(changes.map((change) => [change.id, change]));
  return keys.flatMap((key) => {
    const { action, after } = changed.get(key.id) ?? {};
    const isOfFile = key.managedBy === file || action === 'adopt';
    const isElsewhere = action === 'delete' || after?.expires_at !== undefined;
    if (!isOfFile || isElsewhere || key.disableReason !== null) return [];
    return lifetimeWarning(key, policy) ?? [];
  });
}

function sameAccount(at: (string | number)[], before: (string | number)[]): PlanProblem {
  return {
    path: [...at, 'account'],
    message: `The same account stands at ${fieldName(before)}: put its keys together.`,
  };
}

function toError(problems: PlanProblem[], { placeOf }: ReadKeyFile, label: string): KeyFileError {
  return new KeyFileError(
    problems.map(({ path, message }) => `${label}:${placeOf(path)}: ${fieldName(path)}: ${message}`),
  );
}

/** What a plan changes, without what only describes it. */
function essence({ accounts }: KeyFilePlan): Map<string, string> {
  return new Map(
    accounts.flatMap(({ accountId, changes }) =>
      changes.map(({ kind, action, id, name, version, before, after }) => [
        `${kind} ${id ?? JSON.stringify(name)} of the account ${accountId}`,
        JSON.stringify([action, version, before, after]),
      ]),
    ),
  );
}

function requireSame(saved: KeyFilePlan, plan: KeyFilePlan): void {
  const [then, now] = [essence(saved), essence(plan)];
  const changed = [...new Set([...then.keys(), ...now.keys()])].filter(
    (resource) => then.get(resource) !== now.get(resource),
  );
  if (changed.length === 0) return;
  const named = changed.slice(0, 5).join('; ');
  const more = changed.length > 5 ? `; and ${changed.length - 5} more` : '';
  throw new KeyFileError([
    `The plan is older than what it would change: since it was created, something has changed about the ${named}${more}. Nothing was applied; make a new plan.`,
  ]);
}

function requireConfirmed(plan: KeyFilePlan, { confirmed, saved, deliver }: ApplyOptions): void {
  const changes = plan.accounts.flatMap((account) => account.changes);
  const created = changes.filter(
    ({ kind, action }) => action === 'create' && (kind === 'key' || kind === 'webhook'),
  ).length;
  if (created > 0 && deliver === null) {
    throw new KeyFileError([
      `The file creates ${created} keys or webhooks, and their secrets are shown nowhere: say with --secrets-to where they go. Nothing was applied.`,
    ]);
  }
  const warned = changes.filter(({ warnings }) => warnings.length > 0).length;
  if (warned > 0 && !confirmed && saved === null) {
    throw new KeyFileError([
      `${plural(warned, 'change has', 'changes have')} to be confirmed, see the lines with "!": read them and give --yes, or save a plan with plan --out and apply that. Nothing was applied.`,
    ]);
  }
}
