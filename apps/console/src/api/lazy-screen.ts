import { lazyRouteComponent } from '@tanstack/react-router';
import { fetchPart, PartMissing } from './fetch-part';

export interface LazyPart {
  /** Fetches it; gone when it has been fetched. */
  preload?: () => Promise<void> | undefined;
}

/** What has its own file and may not have been fetched yet; grows with the files that are. */
export const lazyParts: LazyPart[] = [];

/**
 * A screen, or a part of one, in a separate file, which is fetched when it is first needed, or before, when nothing else is
 * going on. While the file cannot be fetched, the error is one of ours: the router would load the whole page again, which a
 * browser replaces by an error page.
 */
export function lazyScreen<T extends Record<string, unknown>, Name extends keyof T & string>(
  load: () => Promise<T>,
  name: Name,
) {
  const part: ReturnType<typeof lazyRouteComponent<T, Name>> = lazyRouteComponent(
    () =>
      fetchPart(load).catch((error: unknown): T => {
        if (error instanceof PartMissing) error.again = () => part.preload?.();
        throw error;
      }),
    name,
  );
  lazyParts.push(part);
  return part;
}
