import type { FastifyInstance } from 'fastify';

/** Enough for an address and the longest password, each character written as an escape. */
const PUBLIC_BODY_LIMIT_BYTES = 16 * 1024;

/**
 * Bounds the bodies that are read before a credential has been looked at, which are those of a sign-in. A report of a secret
 * scanner may have a thousand findings; its signature is over all of them.
 */
export function limitPublicBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const { access, keepsBody = false } = route.config ?? {};
    if (access === 'public' && !keepsBody) route.bodyLimit = PUBLIC_BODY_LIMIT_BYTES;
  });
}
