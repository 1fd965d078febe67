import { readStored, type Store } from './opened';

const RECENT = 5;
export const HOLD_MINUTES = 30;

interface Stored {
  recent: string[];
  held: { text: string; until: number } | null;
}

const keyOf = (staffId: string) => `greenroom.reasons.${staffId}`;

function read(store: Store, staffId: string): Stored {
  const { recent, held } = (readStored(store, keyOf(staffId)) ?? {}) as Partial<Stored>;
  return { recent: Array.isArray(recent) ? recent : [], held: held ?? null };
}

export const recentReasons = (store: Store, staffId: string): string[] => read(store, staffId).recent;

export function heldReason(store: Store, staffId: string, now = Date.now()): string | null {
  const { held } = read(store, staffId);
  return held && held.until > now ? held.text : null;
}

export function rememberReason(
  store: Store,
  staffId: string,
  text: string,
  hold: boolean,
  now = Date.now(),
): void {
  const { recent } = read(store, staffId);
  const stored: Stored = {
    recent: [text, ...recent.filter((other) => other !== text)].slice(0, RECENT),
    held: hold ? { text, until: now + HOLD_MINUTES * 60_000 } : null,
  };
  store.setItem(keyOf(staffId), JSON.stringify(stored));
}
