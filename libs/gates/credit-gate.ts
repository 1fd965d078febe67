import type { CreditLedger } from '@app/credits/credit-ledger';
import type { CurrentCredits } from '@app/database/credits/credit-ledger.repository';
import { creditsLeft, usableCredits } from '@app/domain/credits/credits-left';
import { grouped, plural } from '@app/domain/common/sentences';
import type { ErrorCode } from '@app/domain/errors';
import { passes, refusal, refuses, type CreditUse, type Gate, type GateDecision } from './gate';

type CreditCode = Extract<ErrorCode, 'insufficient_credits' | 'invalid_api_key' | 'request_id_conflict'>;

/** Charges the cost, or holds it. The last gate, because a charge is the only decision that cannot be taken back unseen. */
export const CREDITS: Gate<'credits', CreditUse, CreditCode> = {
  name: 'credits',
  decide: (request, { ledger }) => (request.cost === null ? null : charge(request, request.cost, ledger)),
  async describe({ key: { keyId, accountId }, cost: input }, { balances }) {
    const cost = input ?? 0;
    const payers = await balances.listPayers(keyId, accountId);
    const named = payers.map((balance) => ({ balance, name: nameOf(balance, keyId) }));
    const rule = `It costs ${plural(cost, 'credit', 'credits', grouped)}. Left: ${named.map(({ name, balance }) => left(name, balance)).join(', ')}.`;
    const found = named.find(({ balance }) => (creditsLeft(balance) ?? Infinity) < cost);
    if (!found) return passes(rule);
    const { balance: short, name } = found;
    const change = `Raise the limit of ${name} by ${grouped(cost - creditsLeft(short)!)}, or wait until ${short.periodEnd.toISOString()}.`;
    return refuses(rule, 'insufficient_credits', change);
  },
};

async function charge(
  request: CreditUse,
  cost: number,
  ledger: CreditLedger,
): Promise<GateDecision<CreditCode>> {
  const { key, maxCredits, operation, requestId, holdSecs } = request;
  if (maxCredits !== null && cost > maxCredits)
    return insufficient('single-use token', maxCredits, maxCredits, cost);
  const { keyId, accountId } = key;
  const created = await ledger.charge({ keyId, accountId, cost, operation, requestId, holdSecs });
  if (created.charged) {
    request.charge = created;
    return null;
  }
  if (created.reason === 'insufficient_credits')
    return insufficient(
      created.scope === 'key' ? 'API key' : 'account',
      created.creditLimit,
      created.remaining,
      cost,
    );
  if (created.reason === 'request_id_conflict')
    return refusal(created.reason, 'request_id_conflict', { requestId }, { param: 'request_id' });
  // The key has lost its balance since it was verified.
  return refusal(created.reason, 'invalid_api_key');
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

function nameOf({ subject, subjectId }: CurrentCredits, keyId: string): string {
  if (subject === 'account') return 'the account';
  return subjectId === keyId ? 'the key' : `the key ${subjectId}, which created it,`;
}

function left(whose: string, balance: CurrentCredits): string {
  const credits = creditsLeft(balance);
  return credits === null
    ? `${whose} has no separate limit`
    : `${whose} has ${grouped(credits)} of ${grouped(usableCredits(balance)!)}`;
}
