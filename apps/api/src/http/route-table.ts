import type { Permission } from '@app/domain/permissions';
import type { FastifyInstance, RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The permission a caller's key needs, or `public` when no credential is asked for. */
    access?: Permission | 'public';
  }
}

interface Route {
  methods: string[];
  pattern: RegExp;
}

/** The routes the server knows. Refuses, at start-up, a route that does not say who may call it. */
export class RouteTable {
  private readonly routes: Route[] = [];

  /** Must run before routes are registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => this.add(route));
  }

  /** Methods that are served at a path, for the answer to any other method; empty when nothing is. */
  methodsAt(path: string): string[] {
    const matching = this.routes.filter((route) => route.pattern.test(path));
    return [...new Set(matching.flatMap((route) => route.methods))].sort();
  }

  private add({ method, url, config }: RouteOptions): void {
    const methods = [method].flat();
    if (!config?.access) {
      throw new Error(
        `${methods.join('/')} ${url} declares no access: add @RequireScope(…) or @PublicRoute() to it.`,
      );
    }
    this.routes.push({ methods, pattern: toPattern(url) });
  }
}

function toPattern(url: string): RegExp {
  const escaped = url.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replace(/:[A-Za-z_]+/g, '[^/]+').replaceAll(String.raw`\*`, '.*')}/?$`);
}
