import type { CurrentBudget } from '@app/database/credits/budget.repository';
import type { SingleUseToken } from '@app/database/keys/single-use-token.entity';
import { DomainError, ERRORS, type ErrorParams } from '@app/domain/errors';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import type { GateName, Refusal } from '@app/gates/gates';

/** What was charged to a key, and what it has left. */
export interface CreditsOfKey {
  /** Null without any limit. */
  creditsRemaining: number | null;
  /** Those that its charges count for. */
  budgets: CurrentBudget[];
  /** Null when nothing was to be charged. */
  charge: { cost: number; repeated: boolean; heldUntil: Date | null } | null;
}

export type Introspection =
  | ({
      active: true;
      key: VerifiableKey;
      /** What stood for the key; null when its secret did. */
      token: SingleUseToken | null;
      requestId: string;
    } & CreditsOfKey)
  | {
      active: false;
      gate: GateName;
      /** The response that the customer's request should get. */
      code: Refusal['code'] | 'invalid_single_use_token';
      params: ErrorParams;
      /** When the requests of the minute are used up, or a budget that renews within a day. */
      retryAfterSecs?: number;
      /** When the credits do not suffice. */
      credits?: { credits_remaining: number; credit_limit: number; cost: number };
      /** When one of them has too little. */
      budgets?: CurrentBudget[];
    };

/** A request that is not to be served. */
export type Refused = Extract<Introspection, { active: false }>;

/** A token that opens nothing; the response does not say why. */
export const NO_TOKEN: Refused = {
  active: false,
  gate: 'credential',
  code: 'invalid_single_use_token',
  params: {},
};

/** The error that the customer's request gets, and the status of its response. */
export function responseTo(found: Introspection | DomainError) {
  if (!(found instanceof DomainError) && found.active) return { code: undefined, status: 200 };
  return { code: found.code, status: ERRORS[found.code].httpStatus };
}

/** A refusal of a gate, for the service that sent the request. */
export function toRefused({ gate, code, params, options }: Refusal): Refused {
  // A key that loses its balance after it was verified does not exist any more.
  if (gate === 'credits' && code === 'invalid_api_key')
    return { active: false, gate: 'credential', code, params };
  const { limit, remaining, cost } = params;
  const credits = { credits_remaining: Number(remaining), credit_limit: Number(limit), cost: Number(cost) };
  const { retryAfterSecs } = options ?? {};
  return { active: false, gate, code, params, retryAfterSecs, ...(gate === 'credits' && { credits }) };
}

/** The same, unless the gate could not decide: that says nothing about the key, and the service has to send its request again. */
export function toDecision(refusal: Refusal): Refused | DomainError {
  const { options } = refusal;
  if (refusal.code === 'service_unavailable') return new DomainError('service_unavailable', {}, options);
  return toRefused(refusal);
}
