import { createStore } from './store';

const replaced = createStore(false);

/** Whether the server is known to have another release of the console than the one that runs here. */
export const isReplaced = replaced.get;

export const useIsReplaced = replaced.use;

export type Release = 'unreachable' | 'replaced' | 'same';

/** Compares the page that the server would send with the one that runs here, by the name of their program. */
export async function checkRelease(): Promise<Release> {
  if (isReplaced()) return 'replaced';
  const page = await fetch('/console/', { cache: 'no-store' })
    .then(async (response) => (response.ok ? response.text() : null))
    .catch(() => null);
  if (page === null) return 'unreachable';
  const program = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  if (page.includes(program)) return 'same';
  replaced.set(true);
  return 'replaced';
}
