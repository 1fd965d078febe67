import { DomainError } from '@app/domain/errors';
import { toError, type CreditUse } from '@app/gates/gate';
import { GateStores } from '@app/gates/gate-stores';
import { OPERATION, pass } from '@app/gates/gates';
import { SETTLED_LATER_SECS } from '@app/credits/interrupted-requests';
import type { VoiceEngine } from '@app/voice-engine/voice-engine';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { Caller } from '@app/domain/keys/caller';

/** Longer than a generation can take: when its process has died, its credits are the customer's again after this. */
const HOLD_SECS = 300;

const RELEASE_ATTEMPTS = 3;
const RELEASE_PAUSE_MS = 500;

/** Nothing is held any more, and trying again changes nothing. */
export class NotHeldError extends Error {}

/** The credits of a generation: held before it begins, charged when its speech is stored, released when it fails. */
@Injectable()
export class GenerationCredits {
  private readonly logger = new Logger(GenerationCredits.name);

  constructor(
    private readonly stores: GateStores,
    @Inject(VOICE_ENGINE) private readonly engine: VoiceEngine,
  ) {}

  /**
   * @throws DomainError `insufficient_credits`, `budget_spent`, `invalid_api_key`
   * @throws the driver's error; credits that are held although their response was lost are returned then
   */
  async hold(caller: Caller, cost: number, operation: string, holdSecs = HOLD_SECS): Promise<void> {
    const { key, requestId, maxCredits, endUser } = caller;
    const use = { key, requestId, cost, operation, maxCredits, holdSecs, endUser, charge: null };
    const refusal = await this.pay(use, caller);
    if (!refusal) return;
    // The id of a request of our own is new, so another charge with it is not the caller's.
    const { code } = refusal;
    if (code === 'request_id_conflict') throw new DomainError('invalid_api_key');
    throw toError({ ...refusal, code });
  }

  /**
   * What of the credits that were held the work has cost: `spoken`, or what a service elsewhere says it took. What it took
   * beyond them is charged at once.
   *
   * @returns null when the service may have taken more than it has said: then only `release` is left
   */
  async costOf({ key, requestId }: Caller, spoken: number): Promise<number | null> {
    const { costs } = this.engine;
    if (!costs) return spoken;
    const { credits, isKnown } = costs.of(requestId);
    return isKnown ? this.stores.ledger.chargeBeyond(key.accountId, requestId, credits) : null;
  }

  /** The same for work that has succeeded, of which nothing can be left to know. @throws Error */
  async requireCost(caller: Caller, spoken: number): Promise<number> {
    const cost = await this.costOf(caller, spoken);
    if (cost === null) throw new Error(`What ${caller.requestId} has cost is not known`);
    return cost;
  }

  /**
   * Charges what was held, in the caller's transaction if there is one: both or neither. Last in it, because other charges
   * of the account wait for its end. A lower cost returns the rest.
   *
   * @throws NotHeldError when nothing is held any more; then nothing may be stored either
   */
  async capture({ key, requestId }: Caller, cost: number, em?: EntityManager): Promise<void> {
    const { outcome } = await this.stores.ledger.capture(key.accountId, requestId, cost, em);
    if (outcome !== 'ended' && outcome !== 'repeated')
      throw new NotHeldError(`The credits of ${requestId} are not held: ${outcome}`);
  }

  /** Ends what was held for work that has failed: it costs nothing, or what a service elsewhere took for it. What a busy database does not return now returns to the customer at the deadline. */
  async release(caller: Caller): Promise<void> {
    const { requestId } = caller;
    for (let attempt = 1; attempt <= RELEASE_ATTEMPTS; attempt++) {
      try {
        return await this.end(caller);
      } catch (error) {
        this.logger.error(`Credits are not released yet: ${String(error)}`, { requestId, attempt });
        await wait(RELEASE_PAUSE_MS * attempt);
      }
    }
  }

  private async end(caller: Caller): Promise<void> {
    const { key, requestId } = caller;
    const cost = await this.costOf(caller, 0);
    // The worker asks the service for it.
    if (cost === null) await this.stores.ledger.setHoldEnd(key.accountId, requestId, SETTLED_LATER_SECS);
    else if (cost > 0) await this.stores.ledger.capture(key.accountId, requestId, cost);
    else await this.stores.ledger.release(key.accountId, requestId);
  }

  private async pay(use: CreditUse, caller: Caller) {
    try {
      return await pass(OPERATION.paid, use, this.stores);
    } catch (error) {
      void this.release(caller);
      throw error;
    }
  }
}
