import { CreditLedger } from '@app/credits/credit-ledger';
import { DomainError } from '@app/domain/errors';
import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { Caller } from '@app/domain/keys/caller';

/** Longer than a generation can take: when its process has died, its credits are the customer's again after this. */
const HOLD_SECS = 300;

const RELEASE_ATTEMPTS = 3;
const RELEASE_PAUSE_MS = 500;

/** The credits of a generation: held before it begins, charged when its speech is stored, released when it fails. */
@Injectable()
export class GenerationCredits {
  private readonly logger = new Logger(GenerationCredits.name);

  constructor(private readonly ledger: CreditLedger) {}

  /** @throws DomainError `insufficient_credits`, `invalid_api_key` */
  async hold({ key, requestId, maxCredits }: Caller, cost: number, operation: string): Promise<void> {
    if (maxCredits !== null && cost > maxCredits) {
      const params = { scope: 'single-use token', limit: maxCredits, remaining: maxCredits, cost };
      throw new DomainError('insufficient_credits', params);
    }
    const { keyId, accountId } = key;
    const request = { keyId, accountId, cost, operation, requestId, holdSecs: HOLD_SECS };
    const charge = await this.ledger.charge(request);
    if (charge.charged) return;
    if (charge.reason !== 'insufficient_credits') throw new DomainError('invalid_api_key');
    throw new DomainError('insufficient_credits', {
      scope: charge.scope === 'key' ? 'API key' : 'account',
      limit: charge.creditLimit,
      remaining: charge.remaining,
      cost,
    });
  }

  /**
   * Charges what was held, in the caller's transaction: both or neither. Last in it, because other charges of the account
   * wait for its end.
   *
   * @throws Error when nothing is held any more; then nothing may be stored either
   */
  async capture({ key, requestId }: Caller, cost: number, em: EntityManager): Promise<void> {
    const { outcome } = await this.ledger.capture(key.accountId, requestId, cost, em);
    if (outcome !== 'ended') throw new Error(`The credits of ${requestId} are not held: ${outcome}`);
  }

  /** Returns what was held. What a busy database does not return now returns to the customer at the deadline. */
  async release({ key, requestId }: Caller): Promise<void> {
    for (let attempt = 1; attempt <= RELEASE_ATTEMPTS; attempt++) {
      try {
        return void (await this.ledger.release(key.accountId, requestId));
      } catch (error) {
        this.logger.error(`Credits are not released yet: ${String(error)}`, { requestId, attempt });
        await wait(RELEASE_PAUSE_MS * attempt);
      }
    }
  }
}
