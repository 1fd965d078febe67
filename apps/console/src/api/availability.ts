import { useEffect, useRef, useSyncExternalStore } from 'react';

const ASK_AGAIN_MS = 3_000;

let available = true;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Reports the status of a response: 0 when there was none. */
export function reportOutcome(status: number): void {
  if (status === 0 || status === 502 || status === 503 || status === 504) markAway();
  else set(true);
}

/** Whether the service responded to the last request. While it does not, the console polls it every few seconds. */
export function useAvailability(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => available,
  );
}

/** Calls back whenever the service responds again. */
export function useReturn(action: () => void): void {
  const isAvailable = useAvailability();
  const wasAvailable = useRef(isAvailable);
  useEffect(() => {
    if (isAvailable && !wasAvailable.current) action();
    wasAvailable.current = isAvailable;
  }, [isAvailable]);
}

function set(value: boolean): void {
  if (available === value) return;
  available = value;
  for (const listener of listeners) listener();
}

function markAway(): void {
  set(false);
  clearTimeout(timer);
  timer = setTimeout(() => void askAgain(), ASK_AGAIN_MS);
}

async function askAgain(): Promise<void> {
  const response = await fetch('/readyz').catch(() => null);
  if (response?.ok) set(true);
  else markAway();
}
