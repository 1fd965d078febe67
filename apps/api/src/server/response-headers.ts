import type { AppConfig } from '@app/config/app-config';

/** What a response may depend on: requested again when one of these differs. */
export const VARY = 'authorization, cookie, origin, xi-api-key, xi-single-use-token';

/**
 * Headers of every response, unless its route says otherwise: no cache keeps what a credential decides, and no browser
 * takes a body for anything but what its type says.
 */
export function responseHeaders({ hstsMaxAgeSecs }: AppConfig): Readonly<Record<string, string>> {
  return Object.freeze({
    'cache-control': 'private, no-store',
    vary: VARY,
    'x-content-type-options': 'nosniff',
    ...(hstsMaxAgeSecs !== undefined && { 'strict-transport-security': `max-age=${hstsMaxAgeSecs}` }),
  });
}
