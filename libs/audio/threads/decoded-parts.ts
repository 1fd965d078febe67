import { on, once } from 'node:events';
import type { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/**
 * Sends what a process decodes to a thread, each part when the one before was taken, so that nothing piles up.
 *
 * @param signal ends it, as when the thread has read enough
 */
export async function sendParts(from: Readable, port: MessagePort, signal: AbortSignal): Promise<void> {
  for await (const part of from) {
    port.postMessage(part);
    await once(port, 'message', { signal });
  }
}

/** What `sendParts` sends, in the thread, until null. */
export async function* partsFrom(port: MessagePort): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const [part] of on(port, 'message') as AsyncIterable<[Uint8Array | null]>) {
      if (part === null) return;
      yield part;
      port.postMessage(null);
    }
  } finally {
    port.close();
  }
}
