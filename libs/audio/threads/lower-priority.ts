import { constants, getPriority, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lowers the priority of the worker thread that calls it: where the processors are busy, threads that serve requests and the
 * database come first. Only on Linux, where setpriority(2) changes the calling thread; elsewhere it would change the process.
 */
export function lowerThreadPriority(): void {
  if (isMainThread || process.platform !== 'linux') return;
  if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
}
