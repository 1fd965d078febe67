import type { StaffRole } from './staff-permissions';

/** Which role people with a group of the identity provider have. */
export interface RoleOfGroup {
  group: string;
  role: StaffRole;
}

/**
 * The groups that an identity provider sends of a person: a name, a list of names, or an object whose keys are the names, as
 * Zitadel sends roles.
 *
 * @param claim the name of the claim, or a path to it with dots, such as Keycloak's `realm_access.roles`
 */
export function groupsIn(claims: Record<string, unknown>, claim: string): string[] {
  const found = claims[claim] ?? claim.split('.').reduce<unknown>(memberOf, claims);
  if (typeof found === 'string') return [found];
  if (Array.isArray(found)) return found.filter((group) => typeof group === 'string');
  return typeof found === 'object' && found !== null ? Object.keys(found) : [];
}

/** The first entry of the map whose group a person has; null where they have none of them. */
export function roleOfGroups(groups: readonly string[], map: readonly RoleOfGroup[]): RoleOfGroup | null {
  return map.find(({ group }) => groups.includes(group)) ?? null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
