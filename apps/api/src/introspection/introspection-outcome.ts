import type { Charge } from '@app/credits/credit-ledger';
import type { SingleUseToken } from '@app/database/keys/single-use-token.entity';
import { DomainError, ERRORS, type ErrorCode, type ErrorParams } from '@app/domain/errors';
import type { Gate, VerifiableKey } from '@app/domain/keys/key-decision';
import type { RequestVerdict } from '@app/limits/request-limiter';
import { limitReached } from '../limits/request-limit.hook';
import { formatNeeds, type MissingFormat } from '../text-to-voice/format-access';

export type Introspection =
  | {
      active: true;
      key: VerifiableKey;
      /** What stood for the key; null when its secret did. */
      token: SingleUseToken | null;
      requestId: string;
      creditsRemaining: number | null;
      /** Null when nothing was to be charged. */
      charge: { cost: number; repeated: boolean; heldUntil: Date | null } | null;
    }
  | {
      active: false;
      gate: 'route' | Gate | 'limit' | 'tier' | 'credits';
      /** The response that the customer's request should get. */
      code: ErrorCode;
      params: ErrorParams;
      /** When the requests of the minute are used up. */
      retryAfterSecs?: number;
      /** When the credits do not suffice. */
      credits?: { credits_remaining: number; credit_limit: number; cost: number };
    };

/** A request that is not to be served. */
export type Refused = Extract<Introspection, { active: false }>;

/** What does not say which key it is. */
const NO_KEY: Refused = { active: false, gate: 'credential', code: 'invalid_api_key', params: {} };
/** A token that opens nothing; the response does not say why. */
export const NO_TOKEN: Refused = { ...NO_KEY, code: 'invalid_single_use_token' };

/** The response that the customer's request gets. */
export function statusOf(found: Introspection | DomainError): number {
  if (found instanceof DomainError || !found.active) return ERRORS[found.code].httpStatus;
  return 200;
}

/** The refusal of a request that is one too many in its minute. */
export function refuseRequest(verdict: RequestVerdict): Refused {
  return { active: false, gate: 'limit', code: 'rate_limit_exceeded', ...limitReached(verdict) };
}

/** The refusal of a request for a format that the tier does not have. */
export function refuseFormat(lacking: MissingFormat): Refused {
  return { active: false, gate: 'tier', code: 'feature_not_available', params: formatNeeds(lacking) };
}

/** Why nothing was charged: a refusal, or for a request id that stands for another charge an error. */
export function refuseCharge(
  charge: Extract<Charge, { charged: false }>,
  cost: number,
  requestId: string,
): Refused | DomainError {
  if (charge.reason === 'insufficient_credits') {
    const { scope, creditLimit, remaining } = charge;
    return refuseCredits(scope === 'key' ? 'API key' : 'account', creditLimit, remaining, cost);
  }
  if (charge.reason === 'request_id_conflict')
    return new DomainError('request_id_conflict', { requestId }, { param: 'request_id' });
  // The key has lost its balance since it was verified.
  return NO_KEY;
}

/** @param scope whose credits do not suffice */
export function refuseCredits(scope: string, limit: number, remaining: number, cost: number): Refused {
  const params = { scope, limit, remaining, cost };
  const credits = { credits_remaining: remaining, credit_limit: limit, cost };
  return { active: false, gate: 'credits', code: 'insufficient_credits', params, credits };
}
