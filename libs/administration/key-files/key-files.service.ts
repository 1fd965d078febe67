import type { Account } from '@app/database/accounts/account.entity';
import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { plural } from '@app/domain/common/sentences';
import { KeyFileError } from '@app/domain/keys/key-file-error';
import { Injectable } from '@nestjs/common';
import { byCommandLine, bySystem } from '../audit/audit-actors';
import { AuditedChanges, together, type Change, type ChangeWork } from '../audit/audited-changes';
import { ApiKeyChangesService } from '../keys/api-key-changes.service';
import { WebhooksService } from '../webhooks/webhooks.service';
import { FileAccountsService } from './file-accounts.service';
import { FieldProblem, quoted, type EntryChange, type FieldPath } from './file-part';
import type {
  AccountPlan,
  Drift,
  FileKind,
  FilePlan,
  KeyFilePlan,
  MakeChange,
  NewFileSecret,
  PlannedChange,
} from './key-file-plan';
import { fieldName, type ReadKeyFile } from './read-key-file';

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

/** A change with what makes it; JSON leaves that out. */
type Prepared = PlannedChange & { make: MakeChange };

/** A change of a file that was refused. */
class FailedChange extends Error {
  constructor(
    readonly path: FieldPath | null,
    override readonly cause: Error,
  ) {
    super(cause.message);
  }
}

/** Events of one key or webhook that are searched for who has changed a setting. */
const EVENTS_SEARCHED = 50;

/** The settings of a file by their names in the audit log, where those differ. */
const AUDIT_NAMES: Record<string, string> = { enabled: 'disable_reason' };

/** A file of keys as the actor of an event: a person who can run the command has the database. */
const actorIdOf = (file: string) => `file ${file}`;

/**
 * Keys as code: plans and applies a file of keys. There is no state beside the database: a key knows the name of the file that
 * manages it, and the audit log knows who has changed what since.
 */
@Injectable()
export class KeyFilesService {
  constructor(
    private readonly files: KeyFileRepository,
    private readonly accounts: FileAccountsService,
    private readonly events: AuditLogRepository,
    private readonly keys: ApiKeyChangesService,
    private readonly webhooks: WebhooksService,
    private readonly changes: AuditedChanges,
  ) {}

  /**
   * What a file would change, with dry runs of its allow-lists and who has changed what in between. Changes nothing.
   *
   * @throws KeyFileError naming every field that cannot be applied, with its line
   */
  async plan(read: ReadKeyFile, label: string): Promise<KeyFilePlan> {
    return this.prepare(read, label);
  }

  /** Applies a file, one transaction for each account. Waits for another process that applies one. */
  async apply(read: ReadKeyFile, options: ApplyOptions): Promise<KeyFilePlan> {
    return this.files.whileApplying(async () => {
      const plan = await this.prepare(read, options.label);
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
    for (const { kind, accountId, ...each } of managed)
      await this.changes.make(
        kind === 'key'
          ? this.keys.managing({ ...request, keyId: each.id }, null)
          : this.webhooks.managing({ ...request, accountId, webhookId: each.id }, null),
      );
    return managed.length;
  }

  private async prepare({ content, placeOf }: ReadKeyFile, label: string): Promise<KeyFilePlan<Prepared>> {
    const { name: file, accounts } = content;
    const problems: FieldProblem[] = [];
    const named = new Map<string, FieldPath>();
    const plans: (FilePlan & { account: Account })[] = [];
    for (const [index, input] of accounts.entries()) {
      const at = ['accounts', index];
      try {
        const account = await this.accounts.find(input, at);
        const before = named.get(account.id);
        if (before) throw sameAccount(at, before);
        named.set(account.id, at);
        const plan = await this.accounts.plan(file, account, input, at);
        plans.push({ account, ...plan });
        problems.push(...plan.problems);
      } catch (error) {
        if (!(error instanceof FieldProblem)) throw error;
        problems.push(error);
      }
    }
    if (problems.length > 0)
      throw new KeyFileError(
        problems.map(({ path, message }) => `${label}:${placeOf(path)}: ${fieldName(path)}: ${message}`),
      );
    for (const account of await this.accounts.listAbandoned(file, new Set(named.keys())))
      plans.push({ account, ...(await this.accounts.plan(file, account, null, [])) });
    const described: AccountPlan<Prepared>[] = [];
    for (const { account, changes, unchanged, notes } of plans) {
      const prepared: Prepared[] = [];
      for (const { warn, ...change } of changes)
        prepared.push({ ...change, drift: await this.findDrift(file, change), warnings: await warn() });
      described.push({ accountId: account.id, account: account.name, changes: prepared, unchanged, notes });
    }
    return { file, accounts: described };
  }

  /** For every setting that differs: who has changed it since the file was applied, if it was not the file. */
  private async findDrift(file: string, { id, action, before }: EntryChange<FileKind>): Promise<Drift[]> {
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

  private async applyAccount(
    { placeOf, content }: ReadKeyFile,
    account: AccountPlan<Prepared>,
    options: ApplyOptions,
    done: number,
  ): Promise<void> {
    try {
      await this.changes.make(applying(content.name, account, options));
    } catch (error) {
      const { path, cause } = error instanceof FailedChange ? error : { path: null, cause: error as Error };
      const place = path ? `${options.label}:${placeOf(path)}: ` : '';
      const before = done > 0 ? ' The accounts before it were applied.' : '';
      const message = `${place}${whyRefused(cause)} Nothing of the account ${account.accountId} was changed.${before}`;
      throw new KeyFileError([message]);
    }
  }
}

/**
 * Everything that a file changes in an account, through the services that staff use, as one change. New secrets are delivered as its
 * last step: a process that dies between the two leaves secrets of keys that do not exist, and never a key without its secret.
 */
function applying(
  file: string,
  { changes }: AccountPlan<Prepared>,
  { deliver, reason }: ApplyOptions,
): ChangeWork {
  const request = {
    actor: bySystem(actorIdOf(file)),
    reason: reason ?? `Applied from the file of keys ${file}`,
  };
  return async (em) => {
    const made: Change<unknown>[] = [];
    const secrets: NewFileSecret[] = [];
    for (const { make, path } of changes) {
      try {
        for (const change of await make({ em, request, secrets })) made.push(change);
      } catch (error) {
        throw new FailedChange(path, error as Error);
      }
    }
    if (secrets.length > 0) await deliver?.(secrets);
    return together(made, undefined);
  };
}

/** In a sentence, with the input. */
function whyRefused(cause: Error): string {
  if (!(cause instanceof InvalidInput)) return cause.message;
  const sentences = cause.problems.map(
    ({ path, msg, input }) => `${fieldName(path)}: ${msg} (given: ${quoted(String(input))}).`,
  );
  return sentences.join(' ');
}

function sameAccount(at: FieldPath, before: FieldPath): FieldProblem {
  const message = `The same account stands at ${fieldName(before)}: put its keys together.`;
  return new FieldProblem([...at, 'account'], message);
}

function hasField(value: unknown, field: string): boolean {
  return typeof value === 'object' && value !== null && field in value;
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
