import { inListeningTime } from '@app/database/common/listening-time';
import { Logger } from '@nestjs/common';
import { isOverload } from './store-overload';

/** Longer than a store that works ever takes: a request does not wait longer for a limit. */
const TIMEOUT_MS = 500;
/** A store that refuses is not queried again for so long, so that not every request waits for it. */
const PAUSE_MS = 1_000;
/** Between two lines in the log about a store that is late. */
const LOG_EVERY_MS = 10_000;

/**
 * What a store replies, or why it does not. `down`: it refuses its connections, or says that it cannot count. `late`: it has
 * not replied in time, which may be because this process has too much to do.
 */
export type StoreReply<T> = { readonly value: T } | 'down' | 'late';

/** Calls of the store of a limit, which may be down or late. */
export class StoreCalls {
  /** Requests that only this process has counted, because the store was down, since the process began. */
  unchecked = 0;
  /** Requests refused because the store was late, since the process began. */
  late = 0;
  private readonly logger: Logger;
  private pausedUntilMs = 0;
  private isDown = false;
  private nextLogMs = 0;

  constructor(private readonly what: string) {
    this.logger = new Logger(what);
  }

  /** Whether the store was down a moment ago. */
  get paused(): boolean {
    return performance.now() < this.pausedUntilMs;
  }

  /** Resolves within half a second in which this process listens. What arrives after that still says whether the store is down. */
  async ask<T>(call: () => Promise<T>): Promise<StoreReply<T>> {
    if (this.paused) return 'down';
    const reply = call().then(
      (value) => this.succeed(value),
      (error: Error) => this.fail(error),
    );
    return inListeningTime(reply, TIMEOUT_MS, () => this.warn(`no response within ${TIMEOUT_MS} ms`));
  }

  private succeed<T>(value: T): StoreReply<T> {
    if (this.isDown)
      this.logger.log(`${this.what} are counted together again`, { unchecked: this.unchecked });
    this.isDown = false;
    return { value };
  }

  private fail(error: Error): 'down' | 'late' {
    if (isOverload(error)) return this.warn(error.message);
    this.pausedUntilMs = performance.now() + PAUSE_MS;
    if (!this.isDown) this.logger.error(`${this.what} are counted by each process alone: ${error.message}`);
    this.isDown = true;
    return 'down';
  }

  private warn(why: string): 'late' {
    const nowMs = performance.now();
    if (nowMs >= this.nextLogMs)
      this.logger.warn(`${this.what} are refused while they cannot be counted: ${why}`);
    if (nowMs >= this.nextLogMs) this.nextLogMs = nowMs + LOG_EVERY_MS;
    return 'late';
  }
}
