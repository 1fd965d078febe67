import { CreditLedger, type HoldOutcome } from '@app/credits/credit-ledger';
import { DomainError } from '@app/domain/errors';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { ValidationProblem } from '../http/wire-problem';
import { toHoldResponse, type CaptureBody, type HoldResponse, type ReleaseBody } from './introspection.dto';
import { toLedgerId } from './ledger-id';

const NO_HOLD: HoldOutcome = { outcome: 'unknown', held: null };

/** Ends what `introspect` has set aside. Possible whatever has become of the key meanwhile: the work was done for it. */
@Injectable()
export class HoldsService {
  constructor(private readonly ledger: CreditLedger) {}

  /** Charges what the work has really cost and gives the rest back. */
  async capture(body: CaptureBody): Promise<HoldResponse> {
    const { account_id: accountId, request_id: requestId } = body;
    const cost = Number(body.cost);
    const known = isUuid(accountId);
    const ended = known ? await this.ledger.capture(accountId, toLedgerId(requestId), cost) : NO_HOLD;
    if (ended.outcome === 'exceeded') throw exceeded(body.cost, ended.held ?? 0);
    return toHoldResponse(body, requireEnded(body, ended), cost);
  }

  /** Gives all of it back. */
  async release(body: ReleaseBody): Promise<HoldResponse> {
    const { account_id: accountId, request_id: requestId } = body;
    const known = isUuid(accountId);
    const ended = known ? await this.ledger.release(accountId, toLedgerId(requestId)) : NO_HOLD;
    return toHoldResponse(body, requireEnded(body, ended), 0);
  }
}

function requireEnded(
  { account_id: account, request_id: requestId }: ReleaseBody,
  ended: HoldOutcome,
): HoldOutcome {
  if (ended.outcome === 'unknown') throw new DomainError('hold_not_found', { requestId, account });
  if (ended.outcome === 'conflict') throw new DomainError('hold_ended', { requestId });
  return ended;
}

function exceeded(input: unknown, held: number): ValidationProblem {
  const msg = `Input should be less than or equal to ${held}, which is what was held`;
  return new ValidationProblem([
    { type: 'less_than_equal', loc: ['body', 'cost'], msg, input, ctx: { le: held } },
  ]);
}
