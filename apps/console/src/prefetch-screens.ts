import { queryClient } from './api/client';
import { isReplaced } from './api/release';
import { lazyParts, type LazyPart } from './api/lazy-screen';

/** After the first screen has been drawn. */
const QUIET_MS = 1_500;
const CHECK_AGAIN_MS = 200;
const TRY_AGAIN_MS = 5_000;

/**
 * Fetches everything else while nothing else is going on, one part after the other, so that it opens at once, and without
 * the network.
 */
export function prefetchScreens(): void {
  setTimeout(prefetchNext, QUIET_MS);
}

function prefetchNext(): void {
  if (queryClient.isFetching() > 0) setTimeout(prefetchNext, CHECK_AGAIN_MS);
  else whenIdle(() => void prefetch(lazyParts.shift()));
}

async function prefetch(part: LazyPart | undefined): Promise<void> {
  await part?.preload?.();
  // Of a release that is gone, nothing more can be fetched.
  if (isReplaced()) return;
  // It has none once it is here.
  if (part?.preload) lazyParts.push(part);
  if (lazyParts.length > 0) setTimeout(prefetchNext, part?.preload ? TRY_AGAIN_MS : 0);
}

/** Not every browser has `requestIdleCallback`. */
function whenIdle(action: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(action);
  else setTimeout(action, 100);
}
