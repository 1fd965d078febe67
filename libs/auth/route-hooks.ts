import type { Permission } from '@app/domain/keys/permissions';
import type {
  FastifyContextConfig,
  FastifyInstance,
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify';

/** What runs around the handler of a route. */
export interface RouteHooks {
  onRequest?: onRequestHookHandler;
  preHandler?: preHandlerHookHandler;
  onSend?: onSendHookHandler;
}

/**
 * Gives each route the hooks that its declaration needs, after those of all routes; a request pays for no others. Must
 * run before routes are registered.
 *
 * @param hooksOf the hooks of a route with this method, path and `config`; undefined for none
 */
export function hookRoutes(
  fastify: FastifyInstance,
  hooksOf: (route: RouteOptions) => RouteHooks | undefined,
): void {
  fastify.addHook('onRoute', (route) => {
    const { onRequest, preHandler, onSend } = hooksOf(route) ?? {};
    if (onRequest) route.onRequest = [route.onRequest ?? [], onRequest].flat();
    if (preHandler) route.preHandler = [route.preHandler ?? [], preHandler].flat();
    if (onSend) route.onSend = [route.onSend ?? [], onSend].flat();
  });
}

/** Whether a route is for customers: with a key that has this permission, or with any key. */
export function isForKeys(access: FastifyContextConfig['access']): access is Permission | 'any_key' {
  return typeof access === 'string' && access !== 'public' && access !== 'service';
}
