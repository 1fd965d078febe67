import type { AccountStatus } from '../accounts/account-status';

export const KEY_STATUSES = ['enabled', 'disabled', 'expired'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** Whether a key is accepted: an enabled key of a suspended or closed account is refused. */
export const EFFECTIVE_KEY_STATUSES = [...KEY_STATUSES, 'account_suspended', 'account_closed'] as const;
export type EffectiveKeyStatus = (typeof EFFECTIVE_KEY_STATUSES)[number];

/** What people read about a key's state; the decision about a request is `decide`. Disabled wins over expired. */
export function keyStatus(
  { disableReason, expiresAt }: { disableReason: string | null; expiresAt: Date | null },
  now: Date,
): KeyStatus {
  if (disableReason !== null) return 'disabled';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'enabled';
}

/** The state of a key with that of its account. What the key itself is refused for comes first. */
export function effectiveKeyStatus(status: KeyStatus, accountStatus: AccountStatus): EffectiveKeyStatus {
  return status === 'enabled' && accountStatus !== 'active' ? `account_${accountStatus}` : status;
}
