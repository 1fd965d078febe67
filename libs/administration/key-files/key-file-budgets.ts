import type { CurrentBudget } from '@app/database/credits/budget.repository';
import { budgetSubject, type BudgetSubjectKind } from '@app/domain/credits/budget';
import { canonicalOperations } from '@app/domain/credits/operation';
import { difference } from '../audit/locked-change';
import type { FileAccount, FileBudget, FileKey } from './key-file';
import {
  keyOf,
  quoted,
  unknownKey,
  type AccountState,
  type KeyReference,
  type Outcome,
  type Planned,
  type WithId,
} from './key-file-plan';

/** What a budget of a file counts and when it renews, by the names of the file: none of it changes. */
type FixedSettings = Required<Pick<FileBudget, 'window' | 'time_zone' | 'tag' | 'operations'>> & {
  key: string | null;
  subject: BudgetSubjectKind;
};

/** The budgets of an account, as a file has them; nothing where it leaves them alone. */
export function planBudgets(
  { budgets: input = [], keys = [] }: FileAccount,
  state: AccountState,
  at: (string | number)[],
): (Outcome & Partial<WithId>)[] {
  return input.map((budget, index) => planBudget(budget, keys, state, [...at, 'budgets', index]));
}

/** Budgets that a file which lists budgets does not list; not those of keys that are not its own. */
export function budgetRemovals(
  input: FileAccount | null,
  { budgets, keys }: AccountState,
  requested: ReadonlySet<string | null | undefined>,
): Planned[] {
  if (input?.budgets === undefined) return [];
  const reached = new Set([null, ...keys.map(({ id }) => id)]);
  return budgets
    .filter((budget) => !requested.has(budget.id) && reached.has(budget.keyId))
    .map(({ id, name, version }) => {
      const change = { kind: 'budget', action: 'delete', id, name, version } as const;
      return { ...change, before: {}, after: {}, path: null };
    });
}

/** A stored budget as a file has it. */
export function storedBudget(budget: CurrentBudget): FileBudget {
  const { name, amount, window, timeZone, subject, keyId, tag, operations } = budget;
  return {
    name,
    amount,
    window,
    ...(timeZone !== 'UTC' && { time_zone: timeZone }),
    ...(keyId !== null && { key: keyId }),
    ...(tag !== null && { tag }),
    ...(subject === 'end_user' && { subject }),
    ...(operations !== null && { operations }),
  };
}

function planBudget(
  input: FileBudget,
  keys: readonly FileKey[],
  state: AccountState,
  path: (string | number)[],
): Outcome & Partial<WithId> {
  const { name, amount, window, time_zone = 'UTC', key = null, tag = null, subject = null } = input;
  const operations = canonicalOperations(input.operations);
  const ofKey = keyOf(key, keys, state);
  if (ofKey === undefined) return { problem: unknownKey(key!, keys, path) };
  if (ofKey !== null && tag !== null) {
    const message = `A budget is for a key or for a tag: leave one of them out (given: ${quoted(tag)}).`;
    return { problem: { path: [...path, 'tag'], message } };
  }
  if (subject !== null && (ofKey !== null || tag !== null)) {
    const message = `A budget is for each end user of the account, without a key or a tag: leave one of them out (given: ${quoted(key ?? tag!)}).`;
    return { problem: { path: [...path, 'subject'], message } };
  }
  const present = state.budgets.find((budget) => budget.name === name);
  if (!present) {
    const after = { name, amount, window, time_zone, key, tag, subject, operations };
    const change = { kind: 'budget', action: 'create', id: null, name, version: null, before: {} } as const;
    return { id: null, change: { ...change, ofKey, after, path } };
  }
  const fileKey = idOf(ofKey);
  const of = budgetSubject(fileKey, tag, subject ?? undefined);
  const fixed = { window, time_zone, tag, operations, key: fileKey, subject: of.subject };
  const message = fixedProblem(present, fixed);
  if (message) return { problem: { path, message } };
  const { id, version } = present;
  const changed = difference({ amount: present.amount }, { amount });
  if (changed.after.amount === undefined) return { id, change: null };
  return { id, change: { kind: 'budget', action: 'update', id, name, version, ...changed, path } };
}

function fixedProblem(
  { window, timeZone, tag, operations, keyId, subject }: CurrentBudget,
  input: FixedSettings,
): string | null {
  const stored: FixedSettings = { window, time_zone: timeZone, tag, operations, key: keyId, subject };
  const { before } = difference(stored, input);
  const names = Object.entries(before).map(([field, value]) => `${field} ${quoted(String(value ?? 'none'))}`);
  if (names.length === 0) return null;
  return `There is a budget with this name and ${names.join(', ')}. That does not change: give the new one another name.`;
}

/** A name that no key has yet is not the id of one. */
function idOf(key: KeyReference): string | null {
  if (key === null) return null;
  return 'id' in key ? key.id : key.name;
}
