import type { AnyRouter } from '@tanstack/react-router';

/** After the first screen has been drawn. */
const QUIET_MS = 1_500;

/**
 * Fetches the other screens while nothing else is going on, one after the other, so that they open at once, and without the
 * network.
 */
export function prefetchScreens(router: AnyRouter): void {
  const screens = Object.values(router.routesByPath).map(({ options }) => options.component);
  const next = async () => {
    const screen = screens.shift() as { preload?: () => Promise<void> } | undefined;
    if (screen === undefined) return;
    await screen.preload?.();
    whenIdle(() => void next());
  };
  setTimeout(() => whenIdle(() => void next()), QUIET_MS);
}

/** Not every browser has `requestIdleCallback`. */
function whenIdle(action: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(action);
  else setTimeout(action, 100);
}
