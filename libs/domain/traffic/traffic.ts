import type { Gate } from '../keys/key-decision';

/** How long observed traffic is kept; earlier requests cannot be queried. */
export const TRAFFIC_KEPT_DAYS = 30;

/** The gates that may refuse a request whose key is known: those of the key, then `credits` and `limit` (too many requests). */
export type TrafficGate = Exclude<Gate, 'credential'> | 'credits' | 'limit';

/**
 * The outcome of a request: `served`; `rejected` for its content (4xx); `failed` on our side (5xx); or the gate that has
 * refused it.
 */
export type TrafficOutcome = 'served' | 'rejected' | 'failed' | TrafficGate;

/** Gates before the check of the address: they say nothing about where a key is used from. */
const BEFORE_ADDRESS: ReadonlySet<string> = new Set<TrafficGate>(['state', 'account']);

/** Stands for all addresses that are not counted one by one. */
export const OTHER_ADDRESSES = 'other';
/** Stands for an unknown address, see `clientAddress`. */
export const UNKNOWN_ADDRESS = 'unknown';

/** The gate that has refused a request, or null. `gate` is that of the key, if the key's decision was a refusal. */
export function refusingGate(gate: Gate | null, httpStatus: number): TrafficGate | null {
  if (gate !== null && gate !== 'credential') return gate;
  if (httpStatus === 402) return 'credits';
  return httpStatus === 429 ? 'limit' : null;
}

export function outcomeOf(gate: TrafficGate | null, httpStatus: number): TrafficOutcome {
  if (gate !== null) return gate;
  if (httpStatus < 400) return 'served';
  return httpStatus < 500 ? 'rejected' : 'failed';
}

/** Whether the address of a request with this outcome was let in, or would have been if the key had had no list. */
export function passedAddressGate(outcome: string): boolean {
  return outcome !== 'ip' && !BEFORE_ADDRESS.has(outcome);
}
