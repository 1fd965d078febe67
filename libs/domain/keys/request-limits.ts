import { DAY_MS } from '../common/utc-days';
import { hash } from 'node:crypto';

export const MINUTE_MS = 60_000;

/** The windows in which requests of a key are counted, beside minutes. */
export const WINDOWS = {
  requestsPerSecond: { ms: 1_000, name: 'second' },
  requestsPerDay: { ms: DAY_MS, name: 'day' },
} as const;

/** How many requests are allowed in a window, and where they are counted. */
export interface RequestLimit {
  /** Of the window: the id of the key for minutes. */
  readonly keyId: string;
  readonly requests: number;
  readonly windowMs: number;
}

/** A key, or one of its parent keys, and its own limit; null for none. */
interface Limited {
  id: string;
  limit: number | null;
}

/**
 * The limit of a key in a window. A key without one is counted under its nearest parent key with one, and no key may make more
 * requests than a parent key further up.
 *
 * @param chain the key, then its parent keys, nearest first
 */
export function limitInWindow(windowMs: number, chain: readonly Limited[]): RequestLimit | null {
  const place = chain.findIndex(({ limit }) => limit !== null);
  if (place === -1) return null;
  const limits = chain.slice(place).flatMap(({ limit }) => limit ?? []);
  return { keyId: windowId(chain[place]!.id, windowMs), requests: Math.min(...limits), windowMs };
}

/** Each window of a key has its own id: where windows are stored, a key has one. */
function windowId(keyId: string, windowMs: number): string {
  const digits = hash('sha256', `${keyId} ${windowMs}`).slice(0, 32);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** For messages: what a window is called. */
export function windowName(windowMs: number): string {
  return Object.values(WINDOWS).find(({ ms }) => ms === windowMs)?.name ?? 'minute';
}
