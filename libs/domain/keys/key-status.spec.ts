import { effectiveKeyStatus, keyStatus } from './key-status';

const NOW = new Date('2026-11-21T00:00:00Z');
const later = new Date(NOW.getTime() + 1);

describe('the status of a key', () => {
  it.each([
    ['enabled', null, null],
    ['enabled', null, later],
    ['expired', null, NOW],
    ['disabled', 'unused', null],
    ['disabled', 'unused', NOW],
  ] as const)('%s with the reason %p and the expiry %p', (status, disableReason, expiresAt) => {
    expect(keyStatus({ disableReason, expiresAt }, NOW)).toBe(status);
  });
});

describe('the effective status of a key', () => {
  it.each([
    ['enabled', 'enabled', 'active'],
    ['account_suspended', 'enabled', 'suspended'],
    ['account_closed', 'enabled', 'closed'],
    ['disabled', 'disabled', 'suspended'],
    ['expired', 'expired', 'closed'],
  ] as const)('%s for a key that is %s, of an account that is %s', (effective, status, account) => {
    expect(effectiveKeyStatus(status, account)).toBe(effective);
  });
});
