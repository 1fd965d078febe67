import * as fc from 'fast-check';
import { PERMISSIONS } from '../keys/permissions';
import { dryRunPermissions, suggestPermissions, type RouteUse } from './permission-dry-run';

const at = new Date('2026-11-03T10:00:00Z');
const use = (route: string, permission: RouteUse['permission'], requests = 1): RouteUse => ({
  route,
  permission,
  requests,
  firstAt: at,
  lastAt: at,
});

const anyUse = fc.record({
  route: fc.string({ minLength: 1, maxLength: 12 }),
  permission: fc.oneof(
    fc.constantFrom<RouteUse['permission']>(...PERMISSIONS),
    fc.constant(null),
    fc.constant(undefined),
  ),
  requests: fc.integer({ min: 1, max: 100_000 }),
  firstAt: fc.constant(at),
  lastAt: fc.constant(at),
});

describe('a dry run of permissions', () => {
  it('names the routes that would have been refused, most requests first', () => {
    const uses = [
      use('GET /v1/models', 'models_read', 5),
      use('DELETE /v1/voices/:voice_id', 'voices_write', 12),
      use('GET /v1/user', 'user_read', 40),
      use('GET /v1/service-accounts', null, 3),
      use('GET /v1/gone', undefined, 2),
    ];
    const result = dryRunPermissions(['models_read'], uses);
    expect(result).toMatchObject({ requests: 62, refused: 52, undecided: 2 });
    expect(result.refusedUses.map(({ route }) => route)).toEqual([
      'GET /v1/user',
      'DELETE /v1/voices/:voice_id',
    ]);
  });

  it('of all permissions refuses nothing, and has nothing to wonder about', () => {
    expect(dryRunPermissions(null, [use('GET /v1/gone', undefined)])).toMatchObject({
      refused: 0,
      undecided: 0,
    });
  });

  it('of what is suggested refuses none of any recorded traffic, and of less refuses some', () => {
    fc.assert(
      fc.property(fc.array(anyUse, { maxLength: 60 }), (uses) => {
        const { used, requests } = suggestPermissions(uses);
        const names = used.map(({ permission }) => permission);
        const run = dryRunPermissions(names, uses);
        expect([run.refused, run.requests]).toEqual([0, requests]);
        for (const [place, { requests: lost }] of used.entries())
          expect(dryRunPermissions(names.toSpliced(place, 1), uses).refused).toBe(lost);
      }),
    );
  });
});
