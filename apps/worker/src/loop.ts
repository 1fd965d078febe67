import type { Counts } from '@app/domain/common/timers';
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';

/** From a round that failed to the next, at least. */
export const AFTER_FAILURE_MS = 1_000;

/** What a round of a loop found: `more` starts the next round at once. */
export type Next = 'more' | 'idle';

/** The end of a round, with what it did where that can be counted. */
export type Round = Next | { next: Next; did: Counts };

/** The end of a round that counts what it did; just `next` when that is nothing. */
export function ended(next: Next, did: Counts): Round {
  return Object.values(did).some((count) => count > 0) ? { next, did } : next;
}

export function nextOf(round: Round): Next {
  return typeof round === 'string' ? round : round.next;
}

export function didOf(round: Round): Counts {
  return typeof round === 'string' ? {} : round.did;
}

/** Several rounds as one: what they did together, and `more` when one of them found more. */
export function joined(rounds: readonly Round[]): Round {
  const did: Record<string, number> = {};
  for (const round of rounds)
    for (const [what, count] of Object.entries(didOf(round))) did[what] = (did[what] ?? 0) + count;
  return ended(rounds.some((round) => nextOf(round) === 'more') ? 'more' : 'idle', did);
}

/**
 * Runs all of several tasks, one after the other: one that fails does not stop the others.
 *
 * @returns what they returned
 * @throws the first failure, when all have been tried
 */
export async function doAll<T>(resources: readonly (() => Promise<T>)[]): Promise<T[]> {
  const done: T[] = [];
  const failures: unknown[] = [];
  for (const resource of resources)
    try {
      done.push(await resource());
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
  return done;
}

/**
 * Runs a piece of work again and again, never twice at once, until it is stopped. A round that throws is logged when the
 * trouble begins and when it ends, and tried again after `idleMs`, at least 1 s.
 */
export class Loop {
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private failing = false;
  private isRequested = false;
  private endPause: () => void = () => undefined;

  constructor(
    readonly name: string,
    private readonly round: () => Promise<Next>,
    private readonly idleMs: number,
  ) {
    this.logger = new Logger(name);
  }

  start(): void {
    this.running = this.run(this.stopping.signal);
  }

  /** Starts the next round at once, or after the present one, which may have looked too early. */
  wake(): void {
    this.isRequested = true;
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
      this.isRequested = false;
      const found = await this.tryRound();
      if (found === 'more' || (found === 'idle' && this.isRequested)) continue;
      if (!stopping.aborted)
        await this.pause(found === 'failed' ? Math.max(this.idleMs, AFTER_FAILURE_MS) : this.idleMs);
    }
  }

  private async pause(pauseMs: number): Promise<void> {
    const end = new AbortController();
    this.endPause = () => end.abort();
    await sleep(pauseMs, undefined, { signal: end.signal }).catch(() => undefined);
  }

  private async tryRound(): Promise<Next | 'failed'> {
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
