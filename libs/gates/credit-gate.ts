import type { Charge, CreditLedger } from '@app/credits/credit-ledger';
import type { CurrentBudget } from '@app/database/credits/budget.repository';
import type { CurrentCredits } from '@app/database/credits/credit-ledger.repository';
import { budgetLeft, budgetRetrySecs, windowName } from '@app/domain/credits/budget';
import { creditsLeft, usableCredits } from '@app/domain/credits/credits-left';
import { grouped, plural } from '@app/domain/common/sentences';
import type { ErrorCode } from '@app/domain/errors';
import {
  passes,
  refusal,
  refuses,
  type CreditUse,
  type Gate,
  type GateDecision,
  type GateWords,
} from './gate';

type CreditCode = Extract<
  ErrorCode,
  'insufficient_credits' | 'budget_spent' | 'invalid_api_key' | 'request_id_conflict'
>;

/** Charges the cost, or holds it. The last gate, because a charge is the only decision that cannot be reverted unseen. */
export const CREDITS: Gate<'credits', CreditUse, CreditCode> = {
  name: 'credits',
  decide: (request, { ledger }) => (request.cost === null ? null : charge(request, request.cost, ledger)),
  async describe(
    { key: { keyId, accountId }, cost: input, endUser, operation },
    { balances, budgets: budgetStore },
  ) {
    const cost = input ?? 0;
    const [payers, budgets] = await Promise.all([
      balances.listPayers(keyId, accountId),
      budgetStore.listOfCharges({ keyId, accountId, endUser, operation }),
    ]);
    const named = payers.map((balance) => ({ balance, name: nameOf(balance, keyId) }));
    const rule = `It costs ${plural(cost, 'credit', 'credits', grouped)}. Left: ${[...named.map(({ name, balance }) => left(name, balance)), ...budgets.map(leftOfBudget)].join(', ')}.`;
    const found = named.find(({ balance }) => (creditsLeft(balance) ?? Infinity) < cost);
    if (!found) return describeBudgets(rule, budgets, cost);
    const { balance: short, name } = found;
    const change = `Raise the limit of ${name} by ${grouped(cost - creditsLeft(short)!)}, or wait until ${short.periodEnd.toISOString()}.`;
    return refuses(rule, 'insufficient_credits', [
      change,
      short.subject === 'account' ? 'grant_credits' : short.subjectId === keyId ? 'edit_key' : null,
    ]);
  },
};

/** What the budgets say of a cost for which the key and its account have credits. */
function describeBudgets(rule: string, budgets: readonly CurrentBudget[], cost: number): GateWords {
  const short = budgets.filter((budget) => budgetLeft(budget) < cost);
  const last = short.toSorted((a, b) => b.windowEnd.getTime() - a.windowEnd.getTime())[0];
  if (!last) return passes(rule);
  const { name, amount, windowEnd } = last;
  const wait = cost > amount ? '' : `, or wait until ${windowEnd.toISOString()}`;
  const change = `Raise the budget '${name}' by ${grouped(cost - budgetLeft(last))}${wait}.`;
  return refuses(rule, 'budget_spent', [change, 'edit_budgets']);
}

async function charge(
  request: CreditUse,
  cost: number,
  ledger: CreditLedger,
): Promise<GateDecision<CreditCode>> {
  const { key, maxCredits, operation, requestId, holdSecs, endUser } = request;
  if (maxCredits !== null && cost > maxCredits)
    return insufficient('single-use token', maxCredits, maxCredits, cost);
  const { keyId, accountId } = key;
  const outcome = await ledger.charge({ keyId, accountId, cost, operation, requestId, holdSecs, endUser });
  if (outcome.charged) {
    request.charge = outcome;
    return null;
  }
  if (outcome.reason === 'insufficient_credits')
    return insufficient(
      outcome.scope === 'key' ? 'API key' : 'account',
      outcome.creditLimit,
      outcome.remaining,
      cost,
    );
  if (outcome.reason === 'budget_spent') return spent(outcome, cost);
  if (outcome.reason === 'request_id_conflict')
    return refusal(outcome.reason, 'request_id_conflict', { requestId }, { param: 'request_id' });
  // The key has lost its balance since it was verified.
  return refusal(outcome.reason, 'invalid_api_key');
}

/** @param scope whose credits do not suffice */
function insufficient(
  scope: string,
  limit: number,
  creditsLeft: number,
  cost: number,
): GateDecision<CreditCode> {
  const params = { scope, limit, remaining: creditsLeft, cost };
  return refusal('insufficient_credits', 'insufficient_credits', params);
}

function spent(
  { budget, creditLimit: limit, remaining }: Extract<Charge, { reason: 'budget_spent' }>,
  cost: number,
): GateDecision<CreditCode> {
  const { name, window, renewsAt } = budget;
  const words = { budget: name, window: windowName(window), renewsAt: renewsAt.toISOString() };
  const retryAfterSecs = budgetRetrySecs({ amount: limit, cost, renewsAt }, new Date());
  const params = { ...words, limit, remaining, cost };
  return refusal('budget_spent', 'budget_spent', params, retryAfterSecs === null ? {} : { retryAfterSecs });
}

function nameOf({ subject, subjectId }: CurrentCredits, keyId: string): string {
  if (subject === 'account') return 'the account';
  return subjectId === keyId ? 'the key' : `the key ${subjectId}, which created it,`;
}

function leftOfBudget(budget: CurrentBudget): string {
  return `the budget '${budget.name}' has ${grouped(budgetLeft(budget))} of ${grouped(budget.amount)} per ${windowName(budget.window)}`;
}

function left(whose: string, balance: CurrentCredits): string {
  const credits = creditsLeft(balance);
  return credits === null
    ? `${whose} has no separate limit`
    : `${whose} has ${grouped(credits)} of ${grouped(usableCredits(balance)!)}`;
}
