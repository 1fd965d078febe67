/** How long observed traffic is stored. */
export const TRAFFIC_STORED_DAYS = 30;

/**
 * What became of a request: `served`; `rejected` for its content (4xx); `failed` on our side (5xx); or the name of the
 * gate that refused it.
 */
export type TrafficOutcome = string;

/** Stands for all addresses that are not counted one by one. */
export const OTHER_ADDRESSES = 'other';
/** Stands for an unknown address, see `clientAddress`. */
export const UNKNOWN_ADDRESS = 'unknown';

/** Requests from one address that were let in. Times are instants of any kind. */
export interface AddressUse {
  /** Canonical text, or one of the stand-ins above. */
  address: string;
  requests: number;
  firstAt: Date;
  lastAt: Date;
}

/** What refuses requests whose key is known, in the order in which a request meets it; `limit` stands for too many requests. */
export const REFUSING_GATES = ['state', 'account', 'ip', 'scope', 'limit', 'credits'] as const;
export type RefusingGate = (typeof REFUSING_GATES)[number];

/**
 * The gate that refused a request whose key is known, or null.
 *
 * @param gate the one that refused the key, if one did
 */
export function refusingGate(
  gate: RefusingGate | 'credential' | null,
  httpStatus: number,
): RefusingGate | null {
  if (gate !== null && gate !== 'credential') return gate;
  if (httpStatus === 402) return 'credits';
  return httpStatus === 429 ? 'limit' : null;
}

export function outcomeOf(gate: string | null, httpStatus: number): TrafficOutcome {
  if (gate !== null) return gate;
  if (httpStatus < 400) return 'served';
  return httpStatus < 500 ? 'rejected' : 'failed';
}

/**
 * Where a request is counted that another service has introspected by the permission it needs instead of by a route of ours.
 *
 * @param permission null for one that needs none
 * @param service the name of its credential
 */
export function requestedRoute(permission: string | null, service: string): string {
  return `POST /introspect ${permission ?? 'any_key'} for ${service}`;
}

/** The service that has checked the permission of a request; null when the request was to a route of ours. */
export function askingService(route: string): string | null {
  return /^POST \/introspect \S+ for (.+)$/.exec(route)?.[1] ?? null;
}
