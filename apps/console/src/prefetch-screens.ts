import { queryClient } from './api/client';
import { isReplaced } from './api/release';
import { lazyParts, type LazyPart } from './api/lazy-screen';
import { whenIdle, whenQuiet } from './components/when-quiet';

const CHECK_AGAIN_MS = 200;
const TRY_AGAIN_MS = 5_000;

/**
 * Fetches everything else while nothing else is going on, one part after the other, so that it opens at once, and without
 * the network.
 */
export function prefetchScreens(): void {
  whenQuiet(prefetchNext);
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
