import {
  ALL_PERMISSIONS,
  hasPermission,
  PERMISSIONS,
  type Permission,
  type PermissionSet,
} from './permissions';

/**
 * What a key would give away without having it itself: the first such permission in the order of the table, `all` when
 * it would give everything, or null when it has whatever it gives.
 *
 * @param wanted permission names as they are stored, null for all
 */
export function missingToDelegate(
  own: PermissionSet,
  wanted: readonly string[] | null,
): Permission | 'all' | null {
  if (wanted === null) return isAll(own) ? null : 'all';
  return (
    PERMISSIONS.find((permission) => wanted.includes(permission) && !hasPermission(own, permission)) ?? null
  );
}

/** A list of every permission is not all of them: those that are added later are missing. */
function isAll({ low, high }: PermissionSet): boolean {
  return low === ALL_PERMISSIONS.low && high === ALL_PERMISSIONS.high;
}
