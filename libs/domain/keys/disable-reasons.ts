/** The reasons of the published API. */
const PUBLISHED_DISABLE_REASONS = [
  'trial_ended',
  'subscription_downgrade',
  'exposed_publicly',
  'self_disabled',
] as const;

/** Why a key can be disabled: the published reasons, then ours. */
export const DISABLE_REASONS = [
  ...PUBLISHED_DISABLE_REASONS,
  'requested_by_customer',
  'payment_overdue',
  'terms_violation',
  'security_incident',
  'unused',
  'idle',
] as const;

export type DisableReason = (typeof DISABLE_REASONS)[number];
export type PublishedDisableReason = (typeof PUBLISHED_DISABLE_REASONS)[number];

/** The reason as customers' programs may see it: null for one that the published API does not know. */
export function publishedDisableReason(reason: string | null): PublishedDisableReason | null {
  return PUBLISHED_DISABLE_REASONS.find((published) => published === reason) ?? null;
}

/**
 * Whether a holder of a key may disable it by calling with it, as the finder of a leaked one would: as the key says, else its
 * account, else yes.
 */
export function mayHolderDisable(key: boolean | null, account: boolean | null): boolean {
  return key ?? account ?? true;
}
