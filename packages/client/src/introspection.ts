import { randomUUID } from 'node:crypto';
import type { components } from './schema.js';

type Schema = components['schemas'];
type Body = Schema['IntrospectBody'];

export interface IntrospectOptions {
  /** Where the customer's request comes from; without it, a key with an allow-list is refused. */
  address?: string;
  /** With `path`: the request, if it is one that Greenroom's own API has. */
  method?: Body['method'];
  path?: string;
  /** Instead of them: the permission that is needed. */
  scope?: Body['scope'];
  /** Credits to charge. */
  cost?: number;
  /** What for, in the usage. */
  operation?: string;
  /** The same id is charged once; a random one when left out. */
  requestId?: string;
  /** Sets the credits aside for so long, to be captured or released. */
  holdSecs?: number;
  /** Which user of the customer it is for, by the customer's id. */
  endUser?: string;
}

/** An item of a batch. */
export interface BatchItem extends IntrospectOptions {
  key: string;
}

/** What to send to the customer whose request is refused. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: { detail: { status: string; code: string; message: string } };
}

/** `pass` says whether to serve the request; if not, `refusal` is what to respond. */
export type Introspected =
  | { pass: true; key: Schema['ActiveResponse'] }
  | { pass: false; reason: Schema['InactiveResponse']; refusal: Refusal };

/** Single-use tokens of every installation and cell. */
const TOKEN = /^g[rc]t_/;

/** The body, and whether sending it twice has the effect of once: a single-use token is used up by the first. */
export function toQuery(key: string, options: IntrospectOptions): { body: Body; isRepeatable: boolean } {
  const { holdSecs, requestId = randomUUID(), endUser, ...rest } = options;
  const body: Body = {
    ...rest,
    token: key,
    request_id: requestId,
    ...(holdSecs !== undefined && { hold_seconds: holdSecs }),
    ...(endUser !== undefined && { end_user: endUser }),
  };
  return { body, isRepeatable: !TOKEN.test(key) };
}

export function toQueryOfBatch(items: readonly BatchItem[]): { body: Body[]; isRepeatable: boolean } {
  const queries = items.map(({ key, ...options }) => toQuery(key, options));
  return {
    body: queries.map(({ body }) => body),
    isRepeatable: queries.every(({ isRepeatable }) => isRepeatable),
  };
}

export function toIntrospected(found: Schema['ActiveResponse'] | Schema['InactiveResponse']): Introspected {
  if (found.active) return { pass: true, key: found };
  const { status, code, message, retry_after_secs } = found;
  return { pass: false, reason: found, refusal: toRefusal(status, code, message, retry_after_secs) };
}

export function toRefusal(status: number, code: string, message: string, retryAfterSecs?: number): Refusal {
  return {
    status,
    headers: {
      ...(status === 401 && { 'www-authenticate': 'ApiKey realm="greenroom"' }),
      ...(retryAfterSecs !== undefined && { 'retry-after': String(retryAfterSecs) }),
    },
    body: { detail: { status: code, code, message } },
  };
}
