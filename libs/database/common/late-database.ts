import { sentence } from '../../domain/common/sentences';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 500;
/** By how much time limits grow at the most. */
const MAX_PATIENCE = 16;
/** A reason that lasts is said again after so long. */
const REPEAT_MS = 10_000;
/** What the driver says, and a server that ends a statement itself. */
const LATE =
  /^(timeout expired|Query read timeout|Connection terminated due to connection timeout|canceling statement due to statement timeout)$/;

/**
 * Failures that may pass while a start waits, by errno or SQLSTATE. All others are final: no wait makes a password right (28P01, 28000),
 * creates a database (3D000), a name (ENOTFOUND) or a right (42501), or a certificate that is trusted.
 */
const MAY_PASS: Readonly<Record<string, 'late' | 'away'>> = {
  '57P03': 'late', // The server is starting.
  ECONNREFUSED: 'away', // No process listens.
  ECONNRESET: 'away',
  EPIPE: 'away',
  ETIMEDOUT: 'away',
  EHOSTUNREACH: 'away',
  ENETUNREACH: 'away',
  EAI_AGAIN: 'away', // The name server does not respond.
  '57P01': 'away', // An administrator stops the server.
  '57P02': 'away', // Another of its processes has crashed.
  '53300': 'away', // All of its connections are in use.
  '08001': 'away',
  '08006': 'away',
};
/** The driver has no code for a connection that the other side closes. */
const CLOSED = 'Connection terminated unexpectedly';

/** Switched off while no start waits: before Node 24, one that is on makes every promise of the process dearer. */
const patience = new AsyncLocalStorage<number>();
let starts = 0;

/** By how much the time limits of a connection that is created now are longer than usual: while a process starts. */
export const currentPatience = (): number => patience.getStore() ?? 1;

/** A database has responded too late, or not at all, for as long as a start waits. */
export class LateDatabaseError extends Error {
  constructor(what: string, waitSecs: number, { kind, error }: Obstacle, cause: unknown) {
    super(
      kind === 'late'
        ? `${what} responds too late (${error.message}), and START_WAIT_SECS (${waitSecs}) is over. Look at the load of its machine and at the network, or wait longer.`
        : `${sentence((cause as Error).message)} START_WAIT_SECS (${waitSecs}) is over.`,
      { cause },
    );
    this.name = 'LateDatabaseError';
  }
}

/** A failure that may pass. */
interface Obstacle {
  kind: 'late' | 'away';
  error: Error;
}

export interface LateOptions {
  /** What is waited for, as a person reads it. */
  what: string;
  waitSecs: number;
  onNote: (note: string) => void;
  /** Also for one that refuses, or is not reached: for servers, which need it. A command says so at once. */
  away?: boolean;
  /** False to wait until it is as quick as the connections of a server need it, which keep the usual limits. */
  longer?: boolean;
}

/**
 * Does what a start needs of a database, and again while the database is late: with time limits twice as long each time, up to 16
 * times, so that a slow one gets through. With `away`, also while it is not reached. Any other failure is final at once.
 *
 * @param attempt connections that it creates have the longer limits; it leaves none open
 * @throws LateDatabaseError after `waitSecs`; what the attempt throws, when that cannot pass
 */
export async function whileLate<T>(
  attempt: () => Promise<T>,
  { what, waitSecs, onNote, away = false, longer = true }: LateOptions,
): Promise<T> {
  const startedAt = performance.now();
  let noted = { reason: '', atMs: 0 };
  for (let factor = 1; ;) {
    try {
      return await withPatience(longer ? factor : 1, attempt);
    } catch (error) {
      const obstacle = obstacleOf(error);
      if (obstacle === null || (obstacle.kind === 'away' && !away)) throw error;
      const nowMs = performance.now();
      const secs = Math.round((nowMs - startedAt) / 1_000);
      if (secs >= waitSecs && (obstacle.kind === 'late' || waitSecs > 0))
        throw new LateDatabaseError(what, waitSecs, obstacle, error);
      if (secs >= waitSecs) throw error;
      const reason = obstacle.error.message;
      if (obstacle.kind === 'late') factor = Math.min(2 * factor, MAX_PATIENCE);
      if (obstacle.kind === 'late' || reason !== noted.reason || nowMs - noted.atMs > REPEAT_MS) {
        const state = obstacle.kind === 'late' ? 'responds late' : 'is not reached';
        onNote(`Waiting for ${what}, which ${state} (${reason}; ${secs} of ${waitSecs} s)`);
        noted = { reason, atMs: nowMs };
      }
      await sleep(PAUSE_MS);
    }
  }
}

async function withPatience<T>(factor: number, attempt: () => Promise<T>): Promise<T> {
  starts += 1;
  try {
    return await patience.run(factor, attempt);
  } finally {
    starts -= 1;
    if (starts === 0) patience.disable();
  }
}

/** Whether something failed because a database responded too late: the same may succeed when it, or this machine, has less to do. */
export function isLate(error: unknown): boolean {
  return obstacleOf(error)?.kind === 'late';
}

/** Whether a database, or one of several that were tried, did not respond in time; not one that says that it is starting. */
export function isSlow(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const tried = error.cause instanceof AggregateError ? (error.cause.errors as unknown[]) : [];
  return LATE.test(error.message) || tried.some((each) => isSlow(each) || isSlow((each as Error).cause));
}

/** What an error was caused by that may pass; null for anything else. Of several servers, one that may is enough. */
function obstacleOf(error: unknown): Obstacle | null {
  if (!(error instanceof Error)) return null;
  const { code = '', message, cause } = error as Error & { code?: string };
  if (cause instanceof AggregateError || error instanceof AggregateError) {
    const { errors } = (cause instanceof AggregateError ? cause : error) as AggregateError;
    return errors.map(obstacleOf).find((each) => each !== null) ?? null;
  }
  if (LATE.test(message)) return { kind: 'late', error };
  const kind = message === CLOSED ? 'away' : MAY_PASS[code];
  return kind === undefined ? obstacleOf(cause) : { kind, error };
}
