/** Work did not settle within its time. */
export class DeadlineError extends Error {
  constructor(readonly deadlineMs: number) {
    super(`it did not end within ${deadlineMs / 1_000} s and was abandoned`);
    this.name = 'DeadlineError';
  }
}

/**
 * Runs work and settles after `deadlineMs` at the latest, whether the work does or not. The work's signal aborts at the
 * deadline, and with `signal`. Work of several steps calls `nextStep` after each: the next one has the whole time again.
 *
 * @throws what the work throws; DeadlineError
 */
export async function withDeadline<T>(
  deadlineMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal, nextStep: () => void) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const cancel = () => stop.abort(signal?.reason);
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const { promise: late, reject } = rejectable();
  const timer = setTimeout(() => {
    const error = new DeadlineError(deadlineMs);
    reject(error);
    stop.abort(error);
  }, deadlineMs);
  try {
    return await Promise.race([work(stop.signal, () => void timer.refresh()), late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

/**
 * Waits for work until the signal aborts. What the work does after that has no effect here: it must be fenced.
 *
 * @throws what the work throws; the signal's reason, at once
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = rejectable();
  const abort = () => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function rejectable(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject!: (error: Error) => void;
  const promise = new Promise<never>((_, fail) => (reject = fail));
  return { promise, reject };
}
