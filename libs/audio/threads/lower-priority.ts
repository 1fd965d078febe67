import { constants, getPriority, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/** Niceness. A customer waits for speech, and not for a review. */
const PRIORITIES = { speech: PRIORITY_BELOW_NORMAL / 2, review: PRIORITY_BELOW_NORMAL } as const;

/**
 * Lowers the priority of the worker thread that calls it: where the processors are busy, threads that serve requests and the
 * database come first. Only on Linux, where setpriority(2) changes the calling thread; elsewhere it would change the process.
 */
export function lowerThreadPriority(work: keyof typeof PRIORITIES): void {
  if (isMainThread || process.platform !== 'linux') return;
  const priority = PRIORITIES[work];
  if (getPriority() < priority) setPriority(priority);
}
