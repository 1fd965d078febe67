import { Arrivals } from '@app/auth/arrivals';
import { otherCell } from '@app/auth/other-cell';
import { AppConfig } from '@app/config/app-config';
import { CreditLedger, type HoldOutcome } from '@app/credits/credit-ledger';
import { AccountMoveRepository } from '@app/database/cells/account-move.repository';
import { DomainError } from '@app/domain/errors';
import { cellOfAccountId } from '@app/domain/common/cell';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { toLedgerId } from './ledger-id';

const NO_HOLD: HoldOutcome = { outcome: 'unknown', held: null };

/** Which hold: the account, and the request that the credits were held for. */
interface HoldId {
  accountId: string;
  requestId: string;
}

/** A hold that was ended, and what of it was charged. */
export interface EndedHold extends HoldOutcome {
  charged: number;
}

/** Ends what `introspect` has set aside. Possible also when the key has been disabled or deleted meanwhile: the work was done for it. */
@Injectable()
export class HoldsService {
  constructor(
    private readonly ledger: CreditLedger,
    private readonly config: AppConfig,
    private readonly arrivals: Arrivals,
    private readonly moves: AccountMoveRepository,
  ) {}

  /**
   * Charges what the work has really cost and gives the rest back.
   *
   * @param input the cost, a whole number; as digits too
   */
  async capture({ accountId, requestId }: HoldId, input: number | string): Promise<EndedHold> {
    const cost = Number(input);
    const known = await this.isKnown(accountId);
    const ended = known ? await this.ledger.capture(accountId, toLedgerId(requestId), cost) : NO_HOLD;
    if (ended.outcome === 'exceeded') throw exceeded(input, ended.held ?? 0);
    await this.requireHere(accountId, ended);
    return { ...requireEnded({ accountId, requestId }, ended), charged: cost };
  }

  /** Gives all of it back. */
  async release({ accountId, requestId }: HoldId): Promise<EndedHold> {
    const known = await this.isKnown(accountId);
    const ended = known ? await this.ledger.release(accountId, toLedgerId(requestId)) : NO_HOLD;
    await this.requireHere(accountId, ended);
    return { ...requireEnded({ accountId, requestId }, ended), charged: 0 };
  }

  /** @throws DomainError `other_cell` */
  private async isKnown(accountId: string): Promise<boolean> {
    if (!isUuid(accountId)) return false;
    const misdirected = otherCell('account', cellOfAccountId(accountId), this.config.cell);
    if (misdirected && !(await this.arrivals.any())) throw misdirected;
    return true;
  }

  /** @throws DomainError `other_cell` for the hold of an account that has left */
  private async requireHere(accountId: string, { outcome }: HoldOutcome): Promise<void> {
    if (outcome !== 'unknown' || !isUuid(accountId)) return;
    const misdirected = otherCell('account', await this.moves.findLeft(accountId), this.config.cell);
    if (misdirected) throw misdirected;
  }
}

function requireEnded({ accountId: account, requestId }: HoldId, ended: HoldOutcome): HoldOutcome {
  if (ended.outcome === 'unknown') throw new DomainError('hold_not_found', { requestId, account });
  if (ended.outcome === 'conflict') throw new DomainError('hold_ended', { requestId });
  return ended;
}

function exceeded(input: unknown, held: number): InvalidInput {
  const msg = `Input should be less than or equal to ${held}, which is what was held`;
  return new InvalidInput([{ type: 'less_than_equal', path: ['cost'], msg, input, ctx: { le: held } }]);
}
