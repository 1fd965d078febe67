/** After the first screen has been drawn. */
const QUIET_MS = 1_500;

/** Does what nothing waits for once the first screen has been drawn, and nothing else is going on. */
export function whenQuiet(action: () => void): void {
  setTimeout(() => whenIdle(action), QUIET_MS);
}

/** Not every browser has `requestIdleCallback`. */
export function whenIdle(action: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(action);
  else setTimeout(action, 100);
}
