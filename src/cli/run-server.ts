import { READY } from '../launcher/node-child';

/** A little longer than a server may take to stop in order. */
const STOP_DEADLINE_MS = 17_000;

/**
 * Runs a server in this process until it stops. Under the launcher, says when it is ready, and does not outlive the
 * launcher: the server stops by itself when the channel closes, and this makes sure of it.
 */
export async function runServer(run: () => Promise<void>): Promise<void> {
  if (process.send) {
    // The launcher is the reader; without it nothing reads this.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    process.once('disconnect', () => setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref());
  }
  await run();
  process.send?.(READY);
}
