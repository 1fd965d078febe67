import type { AccountStatus } from '../accounts/account-status';

export const KEY_STATUSES = ['enabled', 'disabled', 'expired', 'deleted'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** Whether a key is accepted: an enabled key of a suspended or closed account is refused. */
export const EFFECTIVE_KEY_STATUSES = [...KEY_STATUSES, 'account_suspended', 'account_closed'] as const;
export type EffectiveKeyStatus = (typeof EFFECTIVE_KEY_STATUSES)[number];

/** How long a deleted key can be seen and restored. */
export const DELETED_KEY_DAYS = 30;

/** What people read about a key's state; the decision about a request is `decide`. Deleted wins over disabled, disabled over expired. */
export function keyStatus(
  {
    disableReason,
    expiresAt,
    deletedAt = null,
  }: { disableReason: string | null; expiresAt: Date | null; deletedAt?: Date | null },
  now: Date,
): KeyStatus {
  if (deletedAt !== null) return 'deleted';
  if (disableReason !== null) return 'disabled';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'enabled';
}

/** The state of a key with that of its account. What the key itself is refused for comes first. */
export function effectiveKeyStatus(status: KeyStatus, accountStatus: AccountStatus): EffectiveKeyStatus {
  return status === 'enabled' && accountStatus !== 'active' ? `account_${accountStatus}` : status;
}
