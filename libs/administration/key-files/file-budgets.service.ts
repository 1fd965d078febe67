import { BudgetRepository, type CurrentBudget } from '@app/database/credits/budget.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { budgetDryRunSentence, budgetSubject, type BudgetSubjectKind } from '@app/domain/credits/budget';
import { canonicalOperations } from '@app/domain/credits/operation';
import { Injectable } from '@nestjs/common';
import { difference } from '../audit/locked-change';
import { BudgetsService, type TriedBudget } from '../budgets/budgets.service';
import { entriesAt, FieldProblem, planPart, quoted, type FieldPath } from './file-part';
import type { FileBudget } from './key-file';
import {
  keyIdOf,
  keyOf,
  making,
  type Applying,
  type FilePlan,
  type FileScope,
  type MakeChange,
} from './key-file-plan';

type FixedBudget = Pick<
  TriedBudget | CurrentBudget,
  'window' | 'timeZone' | 'tag' | 'operations' | 'keyId' | 'subject'
>;

/** What a budget of a file counts and when it renews, by the names of the file: none of it changes. */
type FixedSettings = Required<Pick<FileBudget, 'window' | 'time_zone' | 'key' | 'tag' | 'operations'>> & {
  subject: BudgetSubjectKind;
};

/** Budgets in files of keys: a file that lists them has all of an account, its tags and the keys of the file. */
@Injectable()
export class FileBudgetsService {
  constructor(
    private readonly budgets: BudgetRepository,
    private readonly service: BudgetsService,
  ) {}

  async plan(scope: FileScope): Promise<FilePlan> {
    const { account, input, at, keys } = scope;
    const stored = await this.budgets.list(account.id);
    const ofFile = new Set([null, ...keys.map(({ id }) => id)]);
    const targetOf = ({ id: budgetId, version }: CurrentBudget, { request }: Applying) => {
      return { ...request, accountId: account.id, budgetId, expected: [version] };
    };
    return planPart<'budget', FileBudget, CurrentBudget, Pick<FileBudget, 'amount'>, MakeChange>({
      kind: 'budget',
      entries: entriesAt(input?.budgets, [...at, 'budgets']),
      stored,
      about: (budget) => budget,
      settingsOf: ({ amount }) => ({ amount }),
      isRemoved: ({ keyId }) => input?.budgets !== undefined && ofFile.has(keyId),
      remove: (budget) => making((applying) => this.service.deleting(targetOf(budget, applying))),
      read: (entry, path) => {
        const { name, amount, window, time_zone = 'UTC', key = null, tag = null, subject = null } = entry;
        const operations = canonicalOperations(entry.operations);
        const ofKey = keyOf(key, scope, path);
        refuseTwoSubjects(entry, path);
        const present = stored.find((budget) => budget.name === name) ?? null;
        const settingsFor = (keyId: string | null): TriedBudget => {
          const of = budgetSubject(keyId, tag, subject ?? undefined);
          return { amount, window, timeZone: time_zone, operations, ...of };
        };
        // A name that no key has yet is not the id of one.
        const keyId = ofKey && ('id' in ofKey ? ofKey.id : ofKey.name);
        if (present) refuseFixed(present, settingsFor(keyId), path);
        return {
          present,
          name,
          settings: present ? { amount } : { name, amount, window, time_zone, key, tag, subject, operations },
          extra: { ofKey },
          make: (after) =>
            making((applying) => {
              if (present) return this.service.editing(targetOf(present, applying), after);
              const { request, secrets } = applying;
              const settings = { name, ...settingsFor(keyIdOf(ofKey, secrets)) };
              return this.service.creating(request.actor, account.id, settings, request.reason);
            }),
          // One of a key that the file creates would have refused nothing.
          warn: async () => (ofKey && 'name' in ofKey ? [] : this.warnings(account.id, settingsFor(keyId))),
        };
      },
    });
  }

  async export(accountId: string, ofKeys: ReadonlySet<string | null>): Promise<FileBudget[]> {
    const stored = await this.budgets.list(accountId);
    return stored
      .filter(({ keyId }) => ofKeys.has(keyId))
      .map(({ name, amount, window, timeZone, subject, keyId, tag, operations }) => ({
        name,
        amount,
        window,
        ...(timeZone !== 'UTC' && { time_zone: timeZone }),
        ...(keyId !== null && { key: keyId }),
        ...(tag !== null && { tag }),
        ...(subject === 'end_user' && { subject }),
        ...(operations !== null && { operations }),
      }));
  }

  /** What a budget would have refused. A tag that the file gives to a key first has no charges yet. */
  private async warnings(accountId: string, tried: TriedBudget): Promise<string[]> {
    try {
      const dryRun = await this.service.dryRun(accountId, tried);
      return dryRun.refused === 0 ? [] : [budgetDryRunSentence(dryRun)];
    } catch (error) {
      // Applying the file says what is wrong.
      if (error instanceof InvalidInput) return [];
      throw error;
    }
  }
}

function refuseTwoSubjects({ key = null, tag = null, subject = null }: FileBudget, path: FieldPath): void {
  if (key !== null && tag !== null) {
    const message = `A budget is for a key or for a tag: leave one of them out (given: ${quoted(tag)}).`;
    throw new FieldProblem([...path, 'tag'], message);
  }
  if (subject !== null && (key ?? tag) !== null) {
    const message = `A budget is for each end user of the account, without a key or a tag: leave one of them out (given: ${quoted(key ?? tag!)}).`;
    throw new FieldProblem([...path, 'subject'], message);
  }
}

function refuseFixed(present: CurrentBudget, requested: TriedBudget, path: FieldPath): void {
  const { before } = difference(fixedSettings(present), fixedSettings(requested));
  const names = Object.entries(before).map(([field, value]) => `${field} ${quoted(String(value ?? 'none'))}`);
  if (names.length === 0) return;
  const message = `There is a budget with this name and ${names.join(', ')}. That does not change: give the new one another name.`;
  throw new FieldProblem(path, message);
}

function fixedSettings({ window, timeZone, tag, operations, keyId, subject }: FixedBudget): FixedSettings {
  return { window, time_zone: timeZone, tag, operations, key: keyId, subject };
}
