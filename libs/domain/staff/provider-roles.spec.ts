import { groupsIn, roleOfGroups } from './provider-roles';

describe('the groups of a person', () => {
  it.each<[string, object, string]>([
    ['a list', { groups: ['a', 'b'] }, 'groups'],
    ['a list with what is no name', { groups: ['a', 7, 'b', null] }, 'groups'],
    ['a path', { realm_access: { roles: ['a', 'b'] } }, 'realm_access.roles'],
    ['a name with dots', { 'https://example.com/roles': ['a', 'b'] }, 'https://example.com/roles'],
    ['an object', { 'urn:zitadel:roles': { a: { id: 1 }, b: {} } }, 'urn:zitadel:roles'],
  ])('are read of %s', (_, claims, claim) => {
    expect(groupsIn(claims as Record<string, unknown>, claim)).toEqual(['a', 'b']);
  });

  it('are one of a name', () => {
    expect(groupsIn({ role: 'a' }, 'role')).toEqual(['a']);
  });

  it.each<[string, object, string]>([
    ['without the claim', {}, 'groups'],
    ['with null', { groups: null }, 'groups'],
    ['with a number', { groups: 7 }, 'groups'],
    ['of what every object has', {}, 'constructor.name'],
  ])('are none %s', (_, claims, claim) => {
    expect(groupsIn(claims as Record<string, unknown>, claim)).toEqual([]);
  });
});

it('the first entry of the map decides, not the first group', () => {
  const map = [
    { group: 'admins', role: 'admin' },
    { group: 'staff', role: 'support' },
  ] as const;
  expect(roleOfGroups(['staff', 'admins'], map)).toBe(map[0]);
  expect(roleOfGroups(['others'], map)).toBeNull();
});
