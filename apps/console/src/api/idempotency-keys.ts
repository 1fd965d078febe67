import type { Middleware } from 'openapi-fetch';

/** Of requests whose outcome is not known, by method, address and body. */
const unsettled = new Map<string, string>();
const identities = new WeakMap<Request, string>();

/** Browsers have `crypto.randomUUID` on encrypted pages only. */
const randomKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

/**
 * Sends every creation with an `Idempotency-Key`: the same one for the same request until a response says what became of it, so that
 * "Try again" after a lost connection creates nothing twice.
 */
export const idempotencyKeys: Middleware = {
  async onRequest({ request }) {
    if (request.method !== 'POST') return;
    const identity = `${request.url} ${await request.clone().text()}`;
    const key = unsettled.get(identity) ?? randomKey();
    unsettled.set(identity, key);
    identities.set(request, identity);
    request.headers.set('Idempotency-Key', key);
  },
  onResponse({ request, response }) {
    if (response.status < 500) unsettled.delete(identities.get(request) ?? '');
  },
};
