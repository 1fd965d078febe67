import { Injectable, Logger } from '@nestjs/common';
import { CreditLedger } from './credit-ledger';

/** What generates here, as the ledger names it. */
const GENERATIONS = ['text_to_speech', 'text_to_voice_design', 'text_to_voice_remix'];
/** Before their hold ends, no process works for such requests any more. */
const ENDING_SECS = 110;
/** When the hold ends of a request that may still be charged elsewhere for some seconds. */
export const SETTLED_LATER_SECS = ENDING_SECS + 15;

/** What requests have cost elsewhere, by their ids; one that is missing has cost nothing. */
export type ReadCosts = (requestIds: readonly string[]) => Promise<Map<string, number>>;

/**
 * Settles what was held for requests whose process has ended, or whose client or connection went away, while a service
 * elsewhere spoke: they cost what that took. Without it their holds would end with nothing charged.
 */
@Injectable()
export class InterruptedRequests {
  private readonly logger = new Logger(InterruptedRequests.name);

  constructor(private readonly ledger: CreditLedger) {}

  /**
   * Settles at most `limit` of them; returns how many. While the service cannot be reached they stay held; where it refuses
   * to say what they have cost, their holds end with nothing charged.
   */
  async settle(readCosts: ReadCosts, limit: number): Promise<number> {
    const holds = await this.ledger.listEndingHolds(GENERATIONS, ENDING_SECS, limit);
    if (holds.length === 0) return 0;
    const ids = holds.map(({ requestId }) => requestId);
    let costs: Map<string, number>;
    try {
      costs = await readCosts(ids);
    } catch (error) {
      await this.postpone(error, holds);
      return 0;
    }
    const failures: unknown[] = [];
    for (const { accountId, requestId } of holds)
      await this.end(accountId, requestId, costs.get(requestId) ?? 0).catch((error: unknown) =>
        failures.push(error),
      );
    this.logger.log('Settled interrupted requests', { requests: holds.length, charged: costs.size });
    if (failures.length > 0) throw failures[0];
    return holds.length;
  }

  private async end(accountId: string, requestId: string, cost: number): Promise<void> {
    const captured = await this.ledger.chargeBeyond(accountId, requestId, cost);
    if (captured > 0) await this.ledger.capture(accountId, requestId, captured);
    else await this.ledger.release(accountId, requestId);
  }

  private async postpone(error: unknown, holds: { accountId: string; requestId: string }[]): Promise<void> {
    const { status } = (error as { options?: { status?: number } }).options ?? {};
    const isRefusal = status !== undefined && status < 500 && status !== 429;
    const then = isRefusal ? 'their credits are returned' : 'they stay held';
    this.logger.warn(`What interrupted requests have cost cannot be read, ${then}: ${String(error)}`, {
      requests: holds.length,
    });
    if (isRefusal) return;
    for (const { accountId, requestId } of holds)
      await this.ledger.setHoldEnd(accountId, requestId, SETTLED_LATER_SECS);
  }
}
