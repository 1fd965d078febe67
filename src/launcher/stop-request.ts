import { isNpmStart } from '@app/config/app-config';
import { setTimeout as delay } from 'node:timers/promises';
import { watchParents } from './parent-watch';
import { outliveTerminal, stopSignals } from './terminal-signals';

/** npm passes a Ctrl-C on that the terminal has delivered already: the same key press, not a second one. */
const SAME_KEY_PRESS_MS = 1_000;
const FORCED_EXIT_MS = 5_000;

/**
 * Waits for a request to stop: Ctrl-C, SIGTERM, a closed terminal, or the end of npm or of the process that started us with a
 * channel. A second Ctrl-C or SIGTERM forces.
 */
export class StopRequest {
  private readonly controller = new AbortController();
  private requestedAt = 0;

  constructor(private readonly onForce: () => void) {
    for (const signal of stopSignals()) process.on(signal, () => this.request());
    outliveTerminal();
    if (isNpmStart()) watchParents(() => this.controller.abort());
    if (process.connected) process.on('disconnect', () => this.controller.abort());
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  private request(): void {
    const now = Date.now();
    if (!this.requestedAt) this.requestedAt = now;
    this.controller.abort();
    if (now - this.requestedAt > SAME_KEY_PRESS_MS) void this.force();
  }

  private async force(): Promise<void> {
    this.onForce();
    await delay(FORCED_EXIT_MS, undefined, { ref: false });
    process.exit(1);
  }
}

/** Resolves when the signal aborts. */
export async function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
