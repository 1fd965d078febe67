import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Interruptible } from './interruptible';

/** So long the event loop waits for work that is done in turns. */
const TURN_MS = 4;

/** Does work to its end, and lets others have the event loop in between. */
export async function inTurns<T>(work: Interruptible<T>): Promise<T> {
  for (let sinceMs = performance.now(); ;) {
    const { value, done } = work.next();
    if (done) return value;
    if (performance.now() - sinceMs < TURN_MS) continue;
    await nextTurn();
    sinceMs = performance.now();
  }
}
