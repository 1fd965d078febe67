import { useSyncExternalStore } from 'react';

let replaced = false;
const listeners = new Set<() => void>();

/** Whether the server is known to have another release of the console than the one that runs here. */
export const isReplaced = (): boolean => replaced;

export function useIsReplaced(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isReplaced);
}

export type Release = 'unreachable' | 'replaced' | 'same';

/** Compares the page that the server would send with the one that runs here, by the name of their program. */
export async function checkRelease(): Promise<Release> {
  if (replaced) return 'replaced';
  const page = await fetch('/console/', { cache: 'no-store' })
    .then(async (response) => (response.ok ? response.text() : null))
    .catch(() => null);
  if (page === null) return 'unreachable';
  const program = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  if (page.includes(program)) return 'same';
  replaced = true;
  for (const listener of listeners) listener();
  return 'replaced';
}
