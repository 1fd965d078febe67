import * as fc from 'fast-check';
import {
  ALL_PERMISSIONS,
  compilePermissions,
  hasPermission,
  parsePermissions,
  PERMISSIONS,
} from './permissions';

const names = fc.uniqueArray(fc.constantFrom(...PERMISSIONS));

describe('permissions', () => {
  it('are the 51 of the published API, each in one group', () => {
    expect(PERMISSIONS).toHaveLength(51);
    expect(new Set(PERMISSIONS).size).toBe(51);
  });

  it('are held by a key exactly when they were given to it', () => {
    fc.assert(
      fc.property(names, (input) => {
        const set = compilePermissions(input);
        expect(PERMISSIONS.filter((permission) => hasPermission(set, permission)).sort()).toEqual(
          input.toSorted(),
        );
      }),
    );
  });

  it('are all held by a key without restriction', () => {
    expect(compilePermissions(null)).toBe(ALL_PERMISSIONS);
    expect(PERMISSIONS.every((permission) => hasPermission(ALL_PERMISSIONS, permission))).toBe(true);
  });

  it('are not given by a stored name that does not exist', () => {
    expect(compilePermissions(['everything', '__proto__', 'constructor'])).toEqual({ low: 0, high: 0 });
  });
});

describe('parsing permissions', () => {
  it('keeps each name once, whatever the order', () => {
    fc.assert(
      fc.property(names, (input) => {
        const parsed = parsePermissions([...input, ...input.toReversed()]);
        expect(parsed.ok && parsed.permissions?.toSorted()).toEqual(input.toSorted());
      }),
    );
  });

  it('reads "all" as no restriction', () =>
    expect(parsePermissions('all')).toEqual({ ok: true, permissions: null }));

  it('names every unknown permission with its place', () => {
    const parsed = parsePermissions(['voices_read', 'voices_raed', 'all']);
    expect(parsed).toMatchObject({
      ok: false,
      problems: [
        { index: 1, input: 'voices_raed' },
        { index: 2, input: 'all' },
      ],
    });
  });

  it.each([
    ['Voices_Read', 'voices_read'],
    [' voices-read ', 'voices_read'],
    ['voices:read', 'voices_read'],
    ['read_voices', 'voices_read'],
    ['write_pronunciation_dictionaries', 'pronunciation_dictionaries_write'],
    ['text_to_voice', undefined],
    ['', undefined],
  ])('refuses %j with the suggestion %s', (input, suggestion) => {
    const parsed = parsePermissions([input]);
    expect(parsed.ok ? null : parsed.problems[0]?.suggestion).toBe(suggestion);
  });
});
