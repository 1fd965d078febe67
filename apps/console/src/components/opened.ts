const STORED = 8;

export interface Opened {
  kind: string;
  name: string;
  to: string;
}

/** Where it is stored: `localStorage`. */
interface Store {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

const keyOf = (staffId: string) => `greenroom.opened.${staffId}`;

export function openedLately(store: Store, staffId: string): Opened[] {
  try {
    const stored = JSON.parse(store.getItem(keyOf(staffId)) ?? '[]') as unknown;
    return Array.isArray(stored) ? (stored as Opened[]) : [];
  } catch {
    return [];
  }
}

export function rememberOpened(store: Store, staffId: string, opened: Opened): void {
  const others = openedLately(store, staffId).filter(({ to }) => to !== opened.to);
  store.setItem(keyOf(staffId), JSON.stringify([opened, ...others].slice(0, STORED)));
}
