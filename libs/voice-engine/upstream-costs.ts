import { VoiceEngineError } from './voice-engine.error';

/** What a service elsewhere has taken for a request of ours. */
export interface UpstreamCost {
  /** Credits, as far as it has said so. */
  credits: number;
  /** False when it may have taken more: it was sent something, and no response has arrived. */
  isKnown: boolean;
}

interface Spent {
  credits: number;
  /** Exchanges whose response has not arrived, and may never. */
  open: number;
}

/** Far more than are spoken at a time; the oldest is evicted. */
const MAX_REQUESTS = 10_000;

/** What a service elsewhere says that it takes, by the requests of ours that it is for. */
export class UpstreamCosts {
  /** Since the process began. */
  total = 0;
  private readonly spent = new Map<string, Spent>();

  /** What a request has cost so far. */
  of(requestId: string): UpstreamCost {
    const { credits = 0, open = 0 } = this.spent.get(requestId) ?? {};
    return { credits, isKnown: open === 0 };
  }

  /** Adds what one exchange with the service has cost. @throws what `exchange` throws */
  async add<T>(requestId: string, exchange: () => Promise<T>, creditsOf: (outcome: T) => number): Promise<T> {
    const spent = this.spentFor(requestId);
    spent.open += 1;
    try {
      const outcome = await exchange();
      spent.credits += creditsOf(outcome);
      this.total += creditsOf(outcome);
      spent.open -= 1;
      return outcome;
    } catch (error) {
      const isRefusal = error instanceof VoiceEngineError && !error.options.mayHaveCharged;
      if (isRefusal) spent.open -= 1;
      throw error;
    }
  }

  private spentFor(requestId: string): Spent {
    const spent = this.spent.get(requestId) ?? { credits: 0, open: 0 };
    this.spent.delete(requestId);
    this.spent.set(requestId, spent);
    const [oldest] = this.spent.keys();
    if (this.spent.size > MAX_REQUESTS) this.spent.delete(oldest!);
    return spent;
  }
}
