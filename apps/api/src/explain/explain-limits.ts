import type { VerifiableKey } from '@app/domain/keys/key-decision';
import { GenerationSlots } from '@app/limits/generation-slots';
import { RequestLimiter } from '@app/limits/request-limiter';
import { Injectable } from '@nestjs/common';
import { pass, refuse, type ExplainedGate } from './explained-gate';

/** Explains the gates whose decision depends on other requests, as they stand now. Counts nothing. */
@Injectable()
export class ExplainLimits {
  constructor(
    private readonly requests: RequestLimiter,
    private readonly slots: GenerationSlots,
  ) {}

  async explain(key: VerifiableKey, generates: boolean): Promise<ExplainedGate[]> {
    return Promise.all([
      this.explainRequests(key),
      generates ? this.explainSlots(key) : pass('concurrency', 'The operation takes no slot of the account.'),
    ]);
  }

  private async explainRequests({ requestLimit }: VerifiableKey): Promise<ExplainedGate> {
    const verdict = await this.requests.peek(requestLimit);
    if (verdict === null) return pass('limit', 'Requests cannot be counted right now, so all of them pass.');
    const { passed, limit, remaining, endsInMs } = verdict;
    if (passed) return pass('limit', `The key has ${remaining} of ${limit} requests left in this minute.`);
    const rule = `The key has used its ${limit} requests of this minute.`;
    const change = `Wait ${Math.ceil(endsInMs / 1_000)} s, or let the key make more requests per minute.`;
    return refuse('limit', 'rate_limit_exceeded', rule, change);
  }

  private async explainSlots({ accountId, concurrencyLimit: limit }: VerifiableKey): Promise<ExplainedGate> {
    const running = await this.slots.count(accountId);
    if (running === null)
      return pass('concurrency', 'Generations cannot be counted right now, so all of them pass.');
    const rule = `The account runs ${running} generations now; ${limit} may run at the same time.`;
    if (running < limit) return pass('concurrency', rule);
    const change = 'Wait until one of them ends, or let the account run more at the same time.';
    return refuse('concurrency', 'concurrent_limit_exceeded', rule, change);
  }
}
