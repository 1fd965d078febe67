import { describeFinding, FINDING_KINDS, titleOf, weightOf } from './key-findings';

describe('a finding', () => {
  it('has a title of its own, and a weight that one key can bear', () => {
    const titles = FINDING_KINDS.map(titleOf);
    expect(new Set(titles).size).toBe(FINDING_KINDS.length);
    for (const kind of FINDING_KINDS) expect(weightOf(kind)).toBeGreaterThan(0);
  });

  it.each([
    [
      'wide_allow_list',
      { widestPrefix: 8, addressesAllowed: 16_777_216, addressesSeen: 2 },
      'Allows a /8, 16,777,216 addresses in all; seen from 2 addresses in 30 days.',
    ],
    ['idle', { lastUsedAt: null }, 'Never used.'],
    ['idle', { lastUsedAt: '2026-01-31T10:00:00+00:00' }, 'Last used on 31 Jan 2026.'],
    ['idle_account', { accountStatus: 'suspended' }, 'Its account is suspended.'],
    ['idle_account', { accountStatus: 'active' }, 'No key of its account was used for 90 days.'],
    ['unused_permissions', { permissionsUsed: 1 }, 'May do everything, and used 1 permission in 30 days.'],
  ] as const)('of the kind %s says what was measured', (kind, detail, text) => {
    expect(describeFinding(kind, detail)).toBe(text);
  });
});
