import type { Permission } from '@app/domain/keys/permissions';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import type { RouteRefusalCode, RouteTarget } from '@app/gates/gate';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { LRUCache } from 'lru-cache';
import { isStaffPath } from './problem-json';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. */
    access?: RouteAccess;
    /** Whether it generates speech, of which an account runs only so many at once. */
    generates?: boolean;
  }
}

/**
 * The permission a caller's key needs, `any_key` when it needs none; `service` for the platform's own services;
 * `identity_provider` for that of staff; what a
 * member of staff must be allowed to do, `signed_in` for every session; or `public` when no credential is needed
 * for.
 */
export type RouteAccess =
  | Permission
  | 'any_key'
  | 'service'
  | 'identity_provider'
  | 'public'
  | StaffRouteAccess;

export interface StaffRouteAccess {
  staff: StaffPermission | 'signed_in';
  /**
   * Also before a password of one's own (and then before everything else), before the use of a passkey or before the set-up of a
   * second factor that the role requires; `anything`: before any of these.
   */
  before?: 'anything' | 'password' | 'passkey' | 'second_factor';
  /** Only after a recent confirmation. */
  confirmed?: boolean;
}

interface Route {
  methods: string[];
  path: string;
  pattern: RegExp;
  access: RouteAccess;
  generates: boolean;
}

const TARGETS_STORED = 10_000;
/** A longer part of a path is not looked at. */
export const MAX_PARAM_LENGTH = 200;

/** The routes the server knows. Refuses, at start-up, a route that does not say who may call it. */
@Injectable()
export class RouteTable {
  private readonly routes: Route[] = [];
  private readonly targets = new LRUCache<string, RouteTarget>({ max: TARGETS_STORED });

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

  /** Methods that are served at a path, for the response to any other method; empty when nothing is. */
  methodsAt(path: string): string[] {
    return [...new Set(this.at(path).flatMap((route) => route.methods))].sort();
  }

  /** The route that serves a request, as the router chooses it: fixed parts of a path win over placeholders. */
  find(method: string, path: string): Pick<Route, 'path' | 'access' | 'generates'> | null {
    const matching = this.at(path).filter(({ methods }) => methods.includes(method));
    const [route] = matching.toSorted((a, b) =>
      placeholdersLast(a.path) < placeholdersLast(b.path) ? -1 : 1,
    );
    return route ?? null;
  }

  /** What the routes say about a request with a key. `path` may have a query. */
  target(method: string, path: string): RouteTarget {
    const name = `${method} ${path}`;
    const known = this.targets.get(name);
    if (known) return known;
    const target = this.toTarget(method, path.split('?')[0] ?? '');
    this.targets.set(name, target);
    return target;
  }

  private toTarget(method: string, path: string): RouteTarget {
    const found = this.find(method, path);
    const route = found && `${method} ${found.path}`;
    const refuse = (refusal: RouteRefusalCode, allowedMethods: string[] = []) => ({
      route,
      isPublic: false,
      permission: null,
      generates: false,
      refusal,
      allowedMethods,
    });
    if (readPath(path) === null) return refuse('bad_request');
    if (!found && this.isTooLong(method, path)) return refuse('uri_too_long');
    if (!found) {
      const methods = this.methodsAt(path);
      return refuse(methods.length === 0 ? 'not_found' : 'method_not_allowed', methods);
    }
    const { access, generates } = found;
    if (typeof access === 'object') return refuse('staff_sign_in_required');
    if (access === 'service') return refuse('missing_service_credential');
    if (access === 'identity_provider') return refuse('invalid_scim_token');
    const permission = access === 'public' || access === 'any_key' ? null : access;
    const isPublic = access === 'public';
    return { route, isPublic, permission, generates, refusal: null, allowedMethods: [] };
  }

  private at(path: string): Route[] {
    const read = readPath(path);
    return read === null ? [] : this.routes.filter(({ pattern }) => pattern.test(read));
  }

  /** Whether a path would be served if one of its parts were shorter. */
  private isTooLong(method: string, path: string): boolean {
    const shortened = path.replace(/[^/]+/g, (part) => (part.length > MAX_PARAM_LENGTH ? 'x' : part));
    return shortened !== path && this.find(method, shortened) !== null;
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
    const { access, generates = false } = config;
    this.routes.push({ methods, path: url, pattern: toPattern(url), access, generates });
  }
}

/** A path as the router reads it, without escapes that it does not need and one slash at its end; null when they are broken. */
function readPath(path: string): string | null {
  try {
    return decodeURI(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
  } catch {
    return null;
  }
}

/** A text that orders paths which match the same request. */
function placeholdersLast(path: string): string {
  return path.replace(/:[A-Za-z_]+/g, '\u{fffe}').replaceAll('*', '\u{ffff}');
}

function toPattern(url: string): RegExp {
  const escaped = url.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(
    `^${escaped.replace(/:[A-Za-z_]+/g, `[^/]{1,${MAX_PARAM_LENGTH}}`).replaceAll(String.raw`\*`, '.*')}$`,
  );
}
