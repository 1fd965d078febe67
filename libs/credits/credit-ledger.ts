import {
  CreditRepository,
  type ChargeOutcome,
  type ChargeRequest,
  type CreditHold,
  type HoldOutcome,
  type RemainingCredits,
} from '@app/database/credits/credit.repository';
import { isLockTimeout, isRowFailure } from '@app/database/common/row-failure';
import type { ChargesOfKey } from '@app/database/credits/budget.repository';
import { RESPONSE_SECS, Distribution } from '@app/telemetry/distribution';
import type { SpentBudget } from '@app/domain/credits/budget';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

export type { HoldOutcome };

/** Result of a charge. `remaining` and `creditLimit` are null where no limit is set. */
export type Charge =
  | {
      charged: true;
      /** True when this request id had been charged before: nothing was charged now. */
      repeated: boolean;
      remaining: number | null;
      /** Until when the credits are set aside; null when they are charged for good. */
      heldUntil: Date | null;
      /** Whether the account has budgets or took prepaid credits, or the key has parent keys. */
      hasMorePayers: boolean;
    }
  | {
      charged: false;
      reason: 'insufficient_credits';
      scope: 'key' | 'account';
      creditLimit: number;
      remaining: number;
    }
  | { charged: false; reason: 'budget_spent'; budget: SpentBudget; creditLimit: number; remaining: number }
  | { charged: false; reason: 'request_id_conflict' | 'unknown_key' };

interface Waiter {
  request: ChargeRequest;
  resolve: (charge: Charge) => void;
  reject: (error: unknown) => void;
}

/** How a charge is probably settled: in one comparison for each balance, and for each budget as well, or one by one. */
type Lane = 'ordinary' | 'budgets' | 'others';

/** Charges that are settled together. */
interface Queue {
  waiting: Waiter[];
  flushes: number;
}

/** Behind the id of a request, for what it has cost beyond its hold. */
const BEYOND = '.beyond';
const BATCH_LIMIT = 500;
/** So many keys are remembered as settled apart. */
const APART_LIMIT = 10_000;
/** So many waiters are worth a second flush, which is prepared here while the database settles the first. */
const SECOND_FLUSH_AT = 64;
/** After a batch has failed, the time in which its accounts are settled one by one. */
const ONE_BY_ONE_MS = 10_000;
/** So many accounts may wait for locks: each has a connection of the pool meanwhile. */
const LOCKED_LIMIT = 3;

/**
 * Charges, holds and refunds. With CreditBalances the only code that moves credits or sets a limit.
 *
 * Charges are exact and durable before they resolve. Callers that wait at the same time are gathered and settled by one
 * SQL statement per flush (group commit). Two flushes of a process, and several processes, may settle against the same
 * balances. An account whose balance stays locked has a separate queue until none of its charges waits, so that only they
 * wait for the lock.
 */
@Injectable()
export class CreditLedger {
  /** Charges of each flush, and how long it took. */
  readonly flushSizes = new Distribution([1, 2, 5, 10, 20, 50, 100, 200, BATCH_LIMIT]);
  readonly flushSecs = new Distribution(RESPONSE_SECS);
  failedFlushes = 0;
  /** Credits that work has cost beyond what was set aside for it, and that no payer had. */
  uncovered = 0;
  private readonly common: Queue = { waiting: [], flushes: 0 };
  /** By account. */
  private readonly locked = new Map<string, Queue>();
  /** Keys whose last charge was refused, took prepaid credits, or may have counted for more: they would keep others from being charged in one comparison. */
  private readonly apart = new Map<string, Exclude<Lane, 'ordinary'>>();

  constructor(private readonly credits: CreditRepository) {}

  /**
   * Charges a key and its account, or with `holdSecs` sets the credits aside until they are captured or released. A hold
   * whose deadline has passed, by database time, is over: its credits are the customer's again.
   *
   * @param request.cost whole credits, 0 to 2^53 - 1
   * @param request.requestId idempotency: the same id with the same cost and operation charges once
   * @throws the driver's error when the database cannot settle; then nothing is known to be charged
   */
  async charge(request: ChargeRequest): Promise<Charge> {
    return new Promise((resolve, reject) => {
      const queue = this.locked.get(request.accountId) ?? this.common;
      queue.waiting.push({ request, resolve, reject });
      this.startFlush(queue);
    });
  }

  /** Credits that charges of a key can still use, of its own, its account's and its budgets'. */
  async remaining(charges: ChargesOfKey): Promise<RemainingCredits> {
    return this.credits.findRemaining(charges);
  }

  /**
   * Refunds the charge of a request, once.
   *
   * @returns credits returned; 0 when the request was never charged or was refunded before
   */
  async refund(accountId: string, requestId: string): Promise<number> {
    return this.credits.refundCharge(accountId, requestId);
  }

  /** Ends a hold and charges what the work has cost: `cost` credits, at most those that were set aside. */
  async capture(
    accountId: string,
    requestId: string,
    cost: number,
    em?: EntityManager,
  ): Promise<HoldOutcome> {
    return this.credits.endHold(accountId, requestId, cost, em);
  }

  /**
   * Charges what work has cost beyond what was set aside for it, once, before its hold is ended.
   *
   * @returns what of the cost the hold pays; 0 when it has ended
   */
  async chargeBeyond(accountId: string, requestId: string, cost: number): Promise<number> {
    const hold = await this.credits.findHold(accountId, requestId);
    if (!hold || cost <= hold.amount) return hold ? cost : 0;
    const { amount, ...request } = hold;
    const charge = await this.charge({
      ...request,
      requestId: `${requestId}${BEYOND}`,
      cost: cost - amount,
    });
    if (!charge.charged) this.uncovered += cost - amount;
    return amount;
  }

  /** Holds of requests of ours, for some operations, that end within so many seconds, at most `limit` of them. */
  async listEndingHolds(
    operations: readonly string[],
    withinSecs: number,
    limit: number,
  ): Promise<CreditHold[]> {
    return this.credits.listEndingHolds(operations, withinSecs, limit);
  }

  /** Lets a hold end in so many seconds. One that has ended stays so. */
  async setHoldEnd(accountId: string, requestId: string, inSecs: number): Promise<void> {
    await this.credits.setHoldEnd(accountId, requestId, inSecs);
  }

  /** Ends a hold and charges nothing. */
  async release(accountId: string, requestId: string): Promise<HoldOutcome> {
    return this.credits.endHold(accountId, requestId, null);
  }

  /**
   * Writes the end of holds whose deadline has passed, of at most `accounts` accounts.
   *
   * @returns how many accounts had some
   */
  async endLapsedHolds(accounts: number): Promise<number> {
    return this.credits.endLapsedHolds(accounts);
  }

  private startFlush(queue: Queue): void {
    const { waiting, flushes } = queue;
    const isSecond = flushes === 1 && queue === this.common && waiting.length >= SECOND_FLUSH_AT;
    if (flushes > 0 && !isSecond) return;
    queue.flushes += 1;
    // A turn of the event loop gathers the charges of requests that arrived together.
    setImmediate(() => void this.flush(queue));
  }

  private async flush(queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) await this.settleOrReject(this.takeBatch(queue), queue);
    queue.flushes -= 1;
  }

  /**
   * The next waiters that can be settled together: those of one lane. Each request id at most once: a repeated one must see its
   * twin's line.
   */
  private takeBatch(queue: Queue): Waiter[] {
    const seen = new Set<string>();
    const batch: Waiter[] = [];
    const later: Waiter[] = [];
    const lane = this.laneOf(queue.waiting[0]!.request);
    for (const waiter of queue.waiting) {
      const id = `${waiter.request.accountId}/${waiter.request.requestId}`;
      const take = batch.length < BATCH_LIMIT && !seen.has(id) && this.laneOf(waiter.request) === lane;
      (take ? batch : later).push(waiter);
      seen.add(id);
    }
    queue.waiting = later;
    return batch;
  }

  private laneOf({ keyId, holdSecs }: ChargeRequest): Lane {
    return holdSecs === undefined ? (this.apart.get(keyId) ?? 'ordinary') : 'others';
  }

  private async settleOrReject(batch: Waiter[], queue: Queue): Promise<void> {
    const startedAtMs = performance.now();
    this.flushSizes.add(batch.length);
    try {
      await this.settle(batch, queue);
      this.flushSecs.addSince(startedAtMs);
    } catch (error) {
      if (queue === this.common && isRowFailure(error)) return this.settleOneByOne(batch, error);
      this.reject(batch, error);
    }
  }

  /** Settles the accounts of a batch that failed, so that the failure of one is not that of the others. */
  private async settleOneByOne(batch: Waiter[], error: unknown): Promise<void> {
    const accounts = byAccount(batch);
    if (accounts.size === 1) return isLockTimeout(error) ? this.setApart(batch) : this.reject(batch, error);
    const untilMs = performance.now() + ONE_BY_ONE_MS;
    for (const waiters of accounts.values())
      if (performance.now() < untilMs) await this.settleOrReject(waiters, this.common);
      else this.reject(waiters, error);
  }

  /** Lets an account wait for the lock of its balance apart from all others. */
  private async setApart(batch: Waiter[]): Promise<void> {
    const { accountId } = batch[0]!.request;
    const known = this.locked.get(accountId);
    if (known) {
      known.waiting.push(...batch);
      return this.startFlush(known);
    }
    // Where many accounts are locked, as by a commit on a slow disk, the next ones are waited for here.
    if (this.locked.size >= LOCKED_LIMIT) return this.flush({ waiting: batch, flushes: 1 });
    const isItsOwn = ({ request }: Waiter) => request.accountId === accountId;
    const queue = { waiting: [...batch, ...this.common.waiting.filter(isItsOwn)], flushes: 1 };
    this.common.waiting = this.common.waiting.filter((waiter) => !isItsOwn(waiter));
    this.locked.set(accountId, queue);
    void this.flush(queue).then(() => this.locked.delete(accountId));
  }

  private reject(batch: Waiter[], error: unknown): void {
    this.failedFlushes += 1;
    for (const waiter of batch) waiter.reject(error);
  }

  private async settle(batch: Waiter[], queue: Queue): Promise<void> {
    const requests = batch.map((waiter) => waiter.request);
    const patient = queue !== this.common;
    // Of any of them: a key may have been charged again since an earlier attempt to settle them.
    const [lane = 'others', ...more] = patient
      ? []
      : new Set(requests.map((request) => this.laneOf(request)));
    const left = more.length > 0 ? null : await this.chargeTogether(lane, requests);
    if (left === null) {
      const outcomes = await this.credits.settleCharges(requests, { patient });
      return this.response(batch, outcomes, queue);
    }
    batch.forEach(({ resolve }, index) =>
      resolve({
        charged: true,
        repeated: false,
        remaining: left[index]!,
        heldUntil: null,
        hasMorePayers: lane === 'budgets',
      }),
    );
  }

  /** What is left to each; null when they are to be settled one by one. */
  private async chargeTogether(lane: Lane, requests: ChargeRequest[]): Promise<(number | null)[] | null> {
    if (lane === 'ordinary') return this.credits.chargeBatch(requests);
    return lane === 'budgets' ? this.credits.chargeBudgetedBatch(requests) : null;
  }

  private response(batch: Waiter[], outcomes: ChargeOutcome[], queue: Queue): void {
    const again: Waiter[] = [];
    batch.forEach((waiter, index) => {
      const outcome = outcomes[index]!;
      this.remember(waiter.request.keyId, outcome);
      if (outcome.outcome === 'again') again.push(waiter);
      else waiter.resolve(toCharge(outcome));
    });
    queue.waiting.unshift(...again);
  }

  private remember(keyId: string, { outcome, morePayers }: ChargeOutcome): void {
    if (outcome === 'repeated' || outcome === 'conflict') return;
    if (outcome !== 'charged' || morePayers === 'makers' || morePayers === 'prepaid')
      this.apart.set(keyId, 'others');
    else if (morePayers === 'budgets') this.apart.set(keyId, 'budgets');
    else this.apart.delete(keyId);
    if (this.apart.size > APART_LIMIT) this.apart.clear();
  }
}

function byAccount(batch: Waiter[]): Map<string, Waiter[]> {
  const accounts = new Map<string, Waiter[]>();
  for (const waiter of batch) {
    const { accountId } = waiter.request;
    const waiters = accounts.get(accountId);
    if (waiters) waiters.push(waiter);
    else accounts.set(accountId, [waiter]);
  }
  return accounts;
}

function toCharge(outcome: ChargeOutcome): Charge {
  switch (outcome.outcome) {
    case 'charged':
    case 'repeated':
      return {
        charged: true,
        repeated: outcome.outcome === 'repeated',
        remaining: outcome.leftOver,
        heldUntil: outcome.heldUntil,
        hasMorePayers: outcome.morePayers !== null,
      };
    case 'refused':
      return toRefusal(outcome);
    case 'conflict':
      return { charged: false, reason: 'request_id_conflict' };
    default:
      return { charged: false, reason: 'unknown_key' };
  }
}

function toRefusal({ scope, creditLimit, remaining, budget }: ChargeOutcome): Charge {
  const credits = { creditLimit: creditLimit ?? 0, remaining: Math.max(0, remaining ?? 0) };
  return scope === 'budget'
    ? { charged: false, reason: 'budget_spent', budget: budget!, ...credits }
    : { charged: false, reason: 'insufficient_credits', scope, ...credits };
}
