import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 500;
/** By how much time limits grow at the most. */
const MAX_PATIENCE = 16;
/** SQLSTATE of a server that is starting. */
const STARTING = '57P03';
/** What the driver says, and a server that ends a statement itself. */
const LATE =
  /^(timeout expired|Query read timeout|Connection terminated due to connection timeout|canceling statement due to statement timeout)$/;

const patience = new AsyncLocalStorage<number>();

/** By how much the time limits of a connection that is created now are longer than usual: while a process starts. */
export const currentPatience = (): number => patience.getStore() ?? 1;

/** A database has responded too late for as long as a start waits. */
export class LateDatabaseError extends Error {
  constructor(what: string, waitSecs: number, cause: unknown) {
    super(
      `${what} responds too late (${(cause as Error).message}), and START_WAIT_SECS (${waitSecs}) is over. Look at the load of its machine and at the network, or wait longer.`,
      { cause },
    );
    this.name = 'LateDatabaseError';
  }
}

export interface LateOptions {
  /** What is waited for, as a person reads it. */
  what: string;
  waitSecs: number;
  onNote: (note: string) => void;
  /** False to wait until it is as quick as the connections of a server need it, which keep the usual limits. */
  longer?: boolean;
}

/**
 * Does what a start needs of a database, and again while the database is late: with time limits twice as long each time, up to 16
 * times, so that a slow one gets through. Any other failure is final at once.
 *
 * @param attempt connections that it creates have the longer limits; it leaves none open
 * @throws LateDatabaseError after `waitSecs`; what the attempt throws, when that is not lateness
 */
export async function whileLate<T>(
  attempt: () => Promise<T>,
  { what, waitSecs, onNote, longer = true }: LateOptions,
): Promise<T> {
  const startedAt = performance.now();
  for (let factor = 1; ; factor = Math.min(2 * factor, MAX_PATIENCE)) {
    try {
      return await patience.run(longer ? factor : 1, attempt);
    } catch (error) {
      const reason = latenessOf(error);
      if (reason === null) throw error;
      const secs = Math.round((performance.now() - startedAt) / 1_000);
      if (secs >= waitSecs) throw new LateDatabaseError(what, waitSecs, reason);
      onNote(`Waiting for ${what}, which responds late (${reason.message}; ${secs} of ${waitSecs} s)`);
      await sleep(PAUSE_MS);
    }
  }
}

/** The failure to respond in time that an error was caused by; null when it was something else. */
function latenessOf(error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  const { code, message, cause } = error as Error & { code?: string };
  if (LATE.test(message) || (code === STARTING && !message.startsWith('No server'))) return error;
  return latenessOf(cause);
}
