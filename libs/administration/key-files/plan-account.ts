import type { FileAccount } from './key-file';
import {
  planAccountList,
  planKey,
  planWebhook,
  removals,
  type AccountPlan,
  type AccountState,
  type PlanProblem,
} from './key-file-plan';
import { budgetRemovals, planBudgets } from './key-file-budgets';
import { planRules, ruleRemovals } from './key-file-rules';
import { planVoices } from './key-file-voices';

/**
 * Compares what a file says of an account with what is there.
 *
 * @param input null for an account that the file no longer names
 * @param at the way to the account in the file
 */
export function planAccount(
  file: string,
  input: FileAccount | null,
  state: AccountState,
  at: (string | number)[],
): { plan: AccountPlan; problems: PlanProblem[] } {
  const { account } = state;
  const list = input === null ? [] : planAccountList(input, state, at);
  const keys = (input?.keys ?? []).map((key, index) => planKey(file, key, state, [...at, 'keys', index]));
  const webhooks = (input?.webhooks ?? []).map((webhook, index) =>
    planWebhook(file, webhook, state.webhooks, [...at, 'webhooks', index]),
  );
  const rules = input === null ? [] : planRules(input, state, at);
  const budgets = input === null ? [] : planBudgets(input, state, at);
  const voices = input === null ? [] : planVoices(input, state, at);
  const outcomes = [...list, ...keys, ...webhooks, ...rules, ...budgets, ...voices];
  const requested = new Set(outcomes.flatMap((outcome) => ('id' in outcome ? [outcome.id] : [])));
  const gone = [
    ...removals('key', state.keys, file, requested),
    ...removals('webhook', state.webhooks, file, requested),
    ...ruleRemovals(input, state, requested),
    ...budgetRemovals(input, state, requested),
  ];
  const planned = outcomes.flatMap((outcome) =>
    'change' in outcome && outcome.change ? [outcome.change] : [],
  );
  const changes = [
    ...planned.filter(({ action }) => action !== 'create'),
    ...gone,
    ...planned.filter(({ action }) => action === 'create'),
  ];
  const problems = outcomes.flatMap((outcome) => ('problem' in outcome ? [outcome.problem] : []));
  const closed = account.status === 'closed' && changes.length > 0 && problems.length === 0;
  return {
    plan: {
      accountId: account.id,
      account: account.name,
      changes: changes.map((change) => ({ ...change, drift: [], warnings: [] })),
      unchanged: outcomes.length - planned.length - problems.length,
      notes: outcomes.flatMap((outcome) => ('notes' in outcome && outcome.notes) || []),
    },
    problems: closed
      ? [{ path: [...at, 'account'], message: 'The account is closed: nothing of it can be changed.' }]
      : problems,
  };
}
