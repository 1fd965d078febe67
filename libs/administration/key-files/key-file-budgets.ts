import type { CurrentBudget } from '@app/database/credits/budget.repository';
import { budgetSubject, type BudgetSubjectKind } from '@app/domain/credits/budget';
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
type FixedSettings = Required<Pick<FileBudget, 'window' | 'time_zone' | 'tag'>> & {
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
    .filter((budget) => isInFiles(budget) && !requested.has(budget.id) && reached.has(budget.keyId))
    .map(({ id, name, version }) => {
      const change = { kind: 'budget', action: 'delete', id, name, version } as const;
      return { ...change, before: {}, after: {}, path: null };
    });
}

/** Files have no budgets of each end user, and leave them alone. */
export const isInFiles = ({ subject }: CurrentBudget): boolean => subject !== 'end_user';

/** A stored budget as a file has it. */
export function storedBudget({ name, amount, window, timeZone, keyId, tag }: CurrentBudget): FileBudget {
  return {
    name,
    amount,
    window,
    ...(timeZone !== 'UTC' && { time_zone: timeZone }),
    ...(keyId !== null && { key: keyId }),
    ...(tag !== null && { tag }),
  };
}

function planBudget(
  input: FileBudget,
  keys: readonly FileKey[],
  state: AccountState,
  path: (string | number)[],
): Outcome & Partial<WithId> {
  const { name, amount, window, time_zone = 'UTC', key = null, tag = null } = input;
  const ofKey = keyOf(key, keys, state);
  if (ofKey === undefined) return { problem: unknownKey(key!, keys, path) };
  if (ofKey !== null && tag !== null) {
    const message = `A budget is for a key or for a tag: leave one of them out (given: ${quoted(tag)}).`;
    return { problem: { path: [...path, 'tag'], message } };
  }
  const present = state.budgets.find((budget) => budget.name === name);
  if (!present) {
    const after = { name, amount, window, time_zone, key, tag };
    const change = { kind: 'budget', action: 'create', id: null, name, version: null, before: {} } as const;
    return { id: null, change: { ...change, ofKey, after, path } };
  }
  const fileKey = idOf(ofKey);
  const { subject } = budgetSubject(fileKey, tag);
  const fixed = { window, time_zone, tag, key: fileKey, subject };
  const message = fixedProblem(present, fixed);
  if (message) return { problem: { path, message } };
  const { id, version } = present;
  const changed = difference({ amount: present.amount }, { amount });
  if (changed.after.amount === undefined) return { id, change: null };
  return { id, change: { kind: 'budget', action: 'update', id, name, version, ...changed, path } };
}

function fixedProblem(
  { window, timeZone, tag, keyId, subject }: CurrentBudget,
  input: FixedSettings,
): string | null {
  const stored: FixedSettings = { window, time_zone: timeZone, tag, key: keyId, subject };
  const { before } = difference(stored, input);
  const names = Object.entries(before).map(([field, value]) => `${field} ${quoted(value ?? 'none')}`);
  if (names.length === 0) return null;
  return `There is a budget with this name and ${names.join(', ')}. That does not change: give the new one another name.`;
}

/** A name that no key has yet is not the id of one. */
function idOf(key: KeyReference): string | null {
  if (key === null) return null;
  return 'id' in key ? key.id : key.name;
}
