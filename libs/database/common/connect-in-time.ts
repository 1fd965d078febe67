import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

const STEP_MS = 100;

/**
 * Connects, or gives up on a server that does not accept the connection. Only the time in which this process could have read a
 * response counts: a turn of its event loop is one step, however long it took. A busy process would otherwise give up, in its
 * timers, on a response that it has not read yet.
 *
 * @param connect the client's own method
 * @param withinMs milliseconds
 * @throws Error `timeout expired`, as the driver does; whatever the driver throws
 */
export async function connectInTime(
  client: Client,
  connect: () => Promise<unknown>,
  withinMs: number,
): Promise<void> {
  const connected = new AbortController();
  void giveUpAfter(client, withinMs, connected.signal);
  try {
    await connect();
  } finally {
    connected.abort();
  }
}

async function giveUpAfter(client: Client, withinMs: number, connected: AbortSignal): Promise<void> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += STEP_MS) {
    await sleep(STEP_MS, undefined, { ref: false });
    if (connected.aborted) return;
  }
  client.connection.stream.destroy(new Error('timeout expired'));
}
