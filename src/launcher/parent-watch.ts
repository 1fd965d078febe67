import { parentOf } from './process-identity';

const EVERY_MS = 1_000;

/**
 * Calls back once when the process that started this one, or the one that started that, is gone.
 *
 * Under npm the parent is a shell: a SIGTERM to npm ends npm and the shell, and a SIGKILL ends npm alone; neither reaches
 * the script itself.
 */
export function watchParents(onGone: () => void): void {
  const parents = currentParents();
  const timer = setInterval(() => {
    if (currentParents() === parents) return;
    clearInterval(timer);
    onGone();
  }, EVERY_MS);
  timer.unref();
}

function currentParents(): string {
  return `${process.ppid} ${parentOf(process.ppid)}`;
}
