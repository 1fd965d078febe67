export const KEY_STATUSES = ['enabled', 'disabled', 'expired'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** What people read about a key's state; the decision about a request is `decide`. Disabled wins over expired. */
export function keyStatus(
  { disableReason, expiresAt }: { disableReason: string | null; expiresAt: Date | null },
  now: Date,
): KeyStatus {
  if (disableReason !== null) return 'disabled';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'enabled';
}
