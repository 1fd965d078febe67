import { isatty } from 'node:tty';

/**
 * Whether this process belongs to a terminal, with whose end it ends. `nohup` leaves none of the three at one. It also has
 * SIGHUP ignored, which cannot be seen: Node resets every signal before it runs any code.
 */
const hasTerminal = (): boolean => [0, 1, 2].some((descriptor) => isatty(descriptor));

/** The signals that ask a process to stop. */
export function stopSignals(): NodeJS.Signals[] {
  return hasTerminal() ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];
}

/** Keeps a process that belongs to no terminal running when one is closed. */
export function outliveTerminal(): void {
  if (!hasTerminal()) process.on('SIGHUP', () => undefined);
}
