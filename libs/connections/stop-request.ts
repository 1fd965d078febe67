/** A terminal, a supervisor and the process that started this one may each send a signal for one stop. */
const SAME_REQUEST_MS = 1_000;

/**
 * Waits for a request to stop this process: SIGTERM, SIGINT, or the end of the process that started it with a channel. A
 * signal that comes more than a second after the first ends the process at once.
 *
 * @returns what requested it, for the log
 */
export async function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    const request = (signal: NodeJS.Signals) => {
      firstAtMs ??= performance.now();
      resolve(signal);
      if (performance.now() - firstAtMs > SAME_REQUEST_MS) process.exit(1);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, request);
    process.once('disconnect', () => resolve('the launcher is gone'));
  });
}
