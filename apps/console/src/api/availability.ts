import { useEffect, useRef } from 'react';
import { createStore } from './store';

const ASK_AGAIN_MS = 3_000;

const AWAY = 'A part of the service is not available right now.';
const UNREACHABLE = 'The server cannot be reached.';

/** What is away, as a sentence; null while the service responds. */
const away = createStore<string | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

export function reportOutcome(status: number): void {
  if (status === 0 || status === 502 || status === 503 || status === 504) markAway();
  else away.set(null);
}

/** What of the service is away since the last request; null for nothing. Until it is back, the console polls every few seconds. */
export const useAway = away.use;

export function useReturn(action: () => void): void {
  const isAway = useAway() !== null;
  const wasAway = useRef(isAway);
  useEffect(() => {
    if (!isAway && wasAway.current) action();
    wasAway.current = isAway;
  }, [isAway]);
}

function markAway(): void {
  if (away.get() !== null) return;
  away.set(AWAY);
  clearTimeout(timer);
  void ask();
}

async function ask(isAgain = false): Promise<void> {
  const response = await fetch('/readyz').catch(() => null);
  // Another request was responded to meanwhile.
  if (away.get() === null) return;
  if (response?.ok !== true) away.set(response === null ? UNREACHABLE : await partOf(response));
  else if (isAgain) return away.set(null);
  timer = setTimeout(() => void ask(true), ASK_AGAIN_MS);
}

/** What the api says of itself; a proxy before it says nothing of a part. */
async function partOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as { detail?: { message?: string } } | null;
  return body?.detail?.message ?? AWAY;
}
