import { CreditLedger } from '@app/credits/credit-ledger';
import { Injectable } from '@nestjs/common';
import { ended, type Round } from '../loop';

const ACCOUNTS_PER_ROUND = 100;

/**
 * Gives credits back that were held for work whose deadline has passed. They are the customer's from the deadline on, with
 * or without this: the next change of the account's credits does the same. This only brings the ledger up to date.
 */
@Injectable()
export class HoldExpiry {
  constructor(private readonly credits: CreditLedger) {}

  async expire(): Promise<Round> {
    const accounts = await this.credits.endLapsedHolds(ACCOUNTS_PER_ROUND);
    return ended(accounts === ACCOUNTS_PER_ROUND ? 'more' : 'idle', { account: accounts });
  }
}
