import type { Permission } from '@app/domain/permissions';
import type { StaffPermission } from '@app/domain/staff-permissions';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { isStaffPath } from './problem-json';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. */
    access?: RouteAccess;
  }
}

/**
 * The permission a caller's key needs, `any_key` when it needs none; what a member of staff must be allowed to do,
 * `signed_in` for anybody with a session; or `public` when no credential is asked for.
 */
export type RouteAccess =
  | Permission
  | 'any_key'
  | 'public'
  | { staff: StaffPermission | 'signed_in'; beforePasswordChange?: boolean };

interface Route {
  methods: string[];
  path: string;
  pattern: RegExp;
  access: RouteAccess;
}

/** The routes the server knows. Refuses, at start-up, a route that does not say who may call it. */
@Injectable()
export class RouteTable {
  private readonly routes: Route[] = [];

  /** Must run before routes are registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => this.add(route));
  }

  /** Every route and who may call it. */
  list(): { method: string; path: string; access: RouteAccess }[] {
    return this.routes.flatMap(({ methods, path, access }) =>
      methods.map((method) => ({ method, path, access })),
    );
  }

  /** Methods that are served at a path, for the answer to any other method; empty when nothing is. */
  methodsAt(path: string): string[] {
    const matching = this.routes.filter((route) => route.pattern.test(path));
    return [...new Set(matching.flatMap((route) => route.methods))].sort();
  }

  /** The route that serves a request, as the router chooses it: fixed parts of a path win over placeholders. */
  find(method: string, path: string): { path: string; access: RouteAccess } | null {
    const matching = this.routes.filter(
      (route) => route.methods.includes(method) && route.pattern.test(path),
    );
    const [route] = matching.toSorted((a, b) =>
      placeholdersLast(a.path) < placeholdersLast(b.path) ? -1 : 1,
    );
    return route ? { path: route.path, access: route.access } : null;
  }

  private add({ method, url, config }: RouteOptions): void {
    const methods = [method].flat();
    if (!config?.access) {
      throw new Error(
        `${methods.join('/')} ${url} declares no access: add @RequireScope(…), @RequireStaff(…) or @PublicRoute() to it.`,
      );
    }
    if (config.access !== 'public' && (typeof config.access === 'object') !== isStaffPath(url)) {
      throw new Error(`${methods.join('/')} ${url}: staff routes, and only those, are under /admin.`);
    }
    this.routes.push({ methods, path: url, pattern: toPattern(url), access: config.access });
  }
}

/** A text that orders paths which match the same request. */
function placeholdersLast(path: string): string {
  return path.replace(/:[A-Za-z_]+/g, '\u{fffe}').replaceAll('*', '\u{ffff}');
}

function toPattern(url: string): RegExp {
  const escaped = url.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replace(/:[A-Za-z_]+/g, '[^/]+').replaceAll(String.raw`\*`, '.*')}$`);
}
