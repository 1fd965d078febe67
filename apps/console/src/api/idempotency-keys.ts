import type { Middleware } from 'openapi-fetch';

/** Of requests whose outcome is not known, by method, address and body. */
const unsettled = new Map<string, string>();
const identities = new WeakMap<Request, string>();

/**
 * Sends every creation with an `Idempotency-Key`: the same one for the same request until a response says what became of it, so that
 * "Try again" after a lost connection creates nothing twice.
 */
export const idempotencyKeys: Middleware = {
  async onRequest({ request }) {
    if (request.method !== 'POST') return;
    const identity = `${request.url} ${await request.clone().text()}`;
    const key = unsettled.get(identity) ?? crypto.randomUUID();
    unsettled.set(identity, key);
    identities.set(request, identity);
    request.headers.set('Idempotency-Key', key);
  },
  onResponse({ request, response }) {
    if (response.status < 500) unsettled.delete(identities.get(request) ?? '');
  },
};
