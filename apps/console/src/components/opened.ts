const STORED = 8;

export interface Opened {
  kind: string;
  name: string;
  to: string;
}

/** `localStorage`, or what stands in for it. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

const keyOf = (staffId: string) => `greenroom.opened.${staffId}`;

/** What is stored as JSON; null for anything else. */
export function readStored(store: Store, key: string): unknown {
  try {
    return JSON.parse(store.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

export function openedLately(store: Store, staffId: string): Opened[] {
  const stored = readStored(store, keyOf(staffId));
  return Array.isArray(stored) ? (stored as Opened[]) : [];
}

export function rememberOpened(store: Store, staffId: string, opened: Opened): void {
  const others = openedLately(store, staffId).filter(({ to }) => to !== opened.to);
  store.setItem(keyOf(staffId), JSON.stringify([opened, ...others].slice(0, STORED)));
}
