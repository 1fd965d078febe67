import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { stopSignals } from '../launcher/terminal-signals';

/**
 * Runs something that has copies of secrets in files while it runs, and removes these afterwards: also when it fails, and when
 * a signal ends the process.
 *
 * @param leftovers files and folders, whether they exist or not; read when they are removed
 */
export async function leavingNothing<T>(leftovers: () => string[], run: () => Promise<T>): Promise<T> {
  const remove = () => {
    for (const path of leftovers()) rmSync(path, { recursive: true, force: true });
  };
  const end = (signal: NodeJS.Signals) => {
    remove();
    // After those around this one, which have their own to remove.
    process.nextTick(() => process.exit(128 + constants.signals[signal]));
  };
  const signals = stopSignals();
  for (const signal of signals) process.on(signal, end);
  try {
    return await run();
  } finally {
    for (const signal of signals) process.off(signal, end);
    remove();
  }
}
