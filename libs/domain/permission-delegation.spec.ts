import * as fc from 'fast-check';
import { missingToDelegate } from './permission-delegation';
import { compilePermissions, PERMISSIONS } from './permissions';

describe('what a key may give away', () => {
  it('is what it has itself, and nothing else', () => {
    fc.assert(
      fc.property(fc.subarray([...PERMISSIONS]), fc.subarray([...PERMISSIONS]), (own, wanted) => {
        const missing = wanted.filter((permission) => !own.includes(permission));
        const answer = missingToDelegate(compilePermissions(own), wanted);
        expect(missing.length === 0 ? [null] : missing).toContain(answer);
      }),
    );
  });

  it('is everything only for a key that has everything, those permissions included that are added later', () => {
    expect(missingToDelegate(compilePermissions(null), null)).toBeNull();
    expect(missingToDelegate(compilePermissions(PERMISSIONS), null)).toBe('all');
    expect(missingToDelegate(compilePermissions(null), PERMISSIONS)).toBeNull();
  });
});
