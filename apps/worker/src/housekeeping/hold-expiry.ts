import { CreditLedger } from '@app/credits/credit-ledger';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Loop, type Round } from '../loop';

const EVERY_MS = 10_000;
const ACCOUNTS_PER_ROUND = 100;

/**
 * Gives credits back that were held for work whose deadline has passed. They are the customer's from the deadline on, with
 * or without this: the next change of the account's credits does the same. This only brings the ledger up to date.
 */
@Injectable()
export class HoldExpiry implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop = new Loop(HoldExpiry.name, () => this.expire(), EVERY_MS);

  constructor(private readonly credits: CreditLedger) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  async expire(): Promise<Round> {
    const accounts = await this.credits.endLapsedHolds(ACCOUNTS_PER_ROUND);
    return accounts === ACCOUNTS_PER_ROUND ? 'more' : 'idle';
  }
}
