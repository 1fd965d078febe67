import type { FastifyInstance, FastifyRequest } from 'fastify';

const STORED = Symbol('route configuration');

/** Where nothing is served, `url` is missing. */
type RouteConfiguration = Omit<FastifyRequest['routeOptions']['config'], 'url'> & { url?: string };

declare module 'fastify' {
  interface FastifyRequest {
    /** What the route declares; the same as `routeOptions.config`, which makes a new object each time it is read. */
    readonly route: RouteConfiguration;
    [STORED]?: RouteConfiguration;
  }
}

/** Must run before the hooks that read it. */
export function keepRouteConfiguration(fastify: FastifyInstance): void {
  fastify.decorateRequest('route', {
    getter(this: FastifyRequest): RouteConfiguration {
      return (this[STORED] ??= this.routeOptions.config);
    },
  });
}
