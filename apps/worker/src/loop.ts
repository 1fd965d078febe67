import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a round of a loop found: `more` starts the next round at once. */
export type Round = 'more' | 'idle';

/**
 * Runs a piece of work again and again, never twice at once, until it is stopped. A round that throws is logged when the
 * trouble begins and when it ends, and tried again after `idleMs`, at least 1 s.
 */
export class Loop {
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private failing = false;
  private isWanted = false;
  private endPause: () => void = () => undefined;

  constructor(
    readonly name: string,
    private readonly round: () => Promise<Round>,
    private readonly idleMs: number,
  ) {
    this.logger = new Logger(name);
  }

  start(): void {
    this.running = this.run(this.stopping.signal);
  }

  /** Starts the next round at once, or after the present one, which may have looked too early. */
  wake(): void {
    this.isWanted = true;
    this.endPause();
  }

  /** Begins no further round and waits for the present one. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.endPause();
    await this.running;
  }

  private async run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      this.isWanted = false;
      const found = await this.tryRound();
      if (found === 'more' || (found === 'idle' && this.isWanted)) continue;
      if (!stopping.aborted)
        await this.pause(found === 'failed' ? Math.max(this.idleMs, 1_000) : this.idleMs);
    }
  }

  private async pause(pauseMs: number): Promise<void> {
    const end = new AbortController();
    this.endPause = () => end.abort();
    await sleep(pauseMs, undefined, { signal: end.signal }).catch(() => undefined);
  }

  private async tryRound(): Promise<Round | 'failed'> {
    try {
      const found = await this.round();
      if (this.failing) this.logger.log('Works again');
      this.failing = false;
      return found;
    } catch (error) {
      if (!this.failing) this.logger.error(`${this.name} fails: ${(error as Error).message}`);
      this.failing = true;
      return 'failed';
    }
  }
}
