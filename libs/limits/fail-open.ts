import { Logger } from '@nestjs/common';

/** Longer than a store that works ever takes: a request does not wait longer for a limit. */
const TIMEOUT_MS = 500;
/** After a failure the store is left alone for so long, so that not every request waits for it. */
const PAUSE_MS = 1_000;

/** Queries a store that may be down or not respond. Then the limit is not enforced, which is logged and counted. */
export class FailOpen {
  /** Requests that passed without a limit, since the process began. */
  unchecked = 0;
  private readonly logger: Logger;
  private pausedUntilMs = 0;
  private failing = false;

  constructor(private readonly what: string) {
    this.logger = new Logger(what);
  }

  /** Whether the store is being left alone. */
  get paused(): boolean {
    return performance.now() < this.pausedUntilMs;
  }

  /** The response, or null: the store is down, has not responded in time, or is in its pause. */
  async ask<T>(call: () => Promise<T>): Promise<T | null> {
    if (this.paused) return null;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no response within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
    });
    try {
      const answer = await Promise.race([call(), late]);
      this.report(null);
      return answer;
    } catch (error) {
      this.pausedUntilMs = performance.now() + PAUSE_MS;
      this.report(error as Error);
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  private report(error: Error | null): void {
    if (error && !this.failing) this.logger.error(`${this.what} are not limited: ${error.message}`);
    if (!error && this.failing)
      this.logger.log(`${this.what} are limited again`, { unchecked: this.unchecked });
    this.failing = error !== null;
  }
}
