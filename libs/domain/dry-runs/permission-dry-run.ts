import { PERMISSIONS, type Permission } from '../keys/permissions';
import { evaluateTraffic, type EvaluatedTraffic } from './dry-run';

/** Requests to one route that were let in. */
export interface RouteUse {
  /** Method and path with its placeholders. */
  route: string;
  /** What the route requires: null for nothing, undefined when it is not known. */
  permission: string | null | undefined;
  requests: number;
  firstAt: Date;
  lastAt: Date;
}

/** A permission that was used. */
export interface UsedPermission {
  permission: Permission;
  requests: number;
  lastAt: Date;
  /** Most requests first. */
  routes: string[];
}

export interface PermissionSuggestion {
  requests: number;
  /** In the order of the table of permissions. */
  used: UsedPermission[];
  /** Requests to routes whose permission is not known: the suggestion may refuse them. */
  undecided: number;
}

/**
 * What permissions would have done to requests that were let in.
 *
 * @param permissions names, or null for all
 */
export function dryRunPermissions(
  permissions: readonly string[] | null,
  uses: readonly RouteUse[],
): EvaluatedTraffic<RouteUse> {
  return evaluateTraffic(uses, ({ permission }) => {
    if (permissions === null || permission === null) return 'allowed';
    if (permission === undefined) return 'undecided';
    return permissions.includes(permission) ? 'allowed' : 'refused';
  });
}

/** The permissions that requests have used: a key with just these would have had none of them refused. */
export function suggestPermissions(uses: readonly RouteUse[]): PermissionSuggestion {
  const used = PERMISSIONS.flatMap((permission): UsedPermission[] => {
    const of = uses
      .filter((use) => use.permission === permission)
      .toSorted((a, b) => b.requests - a.requests);
    if (of.length === 0) return [];
    const requests = of.reduce((total, use) => total + use.requests, 0);
    const lastAt = new Date(Math.max(...of.map((use) => use.lastAt.getTime())));
    return [{ permission, requests, lastAt, routes: of.map(({ route }) => route) }];
  });
  const { requests, undecided } = dryRunPermissions([], uses);
  return { requests, used, undecided };
}
