import { setTimeout as sleep } from 'node:timers/promises';

const STEPS = 10;

/**
 * Waits for so long as this process could have read a response. A turn of the event loop counts as a tenth at the most, however
 * long it took: a busy process would otherwise give up, in its timers, on a response that waits in its socket.
 *
 * @param ms milliseconds
 * @param signal ends the waiting
 * @throws AbortError
 */
export async function listenFor(ms: number, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < STEPS; step++) await sleep(ms / STEPS, undefined, { ref: false, signal });
}

/**
 * What a promise resolves to. When it has not settled in so long as this process listens (`listenFor`), what `late` returns or
 * throws instead.
 *
 * @param ms milliseconds
 */
export async function inListeningTime<T, Late>(
  promise: Promise<T>,
  ms: number,
  late: () => Late,
): Promise<T | Late> {
  const settled = new AbortController();
  const timeIsUp = listenFor(ms, settled.signal).then(late);
  try {
    return await Promise.race([promise, timeIsUp]);
  } finally {
    timeIsUp.catch(() => undefined);
    settled.abort();
  }
}
