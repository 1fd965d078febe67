import { TIER_NAMES, type Tier } from '../accounts/tiers';

/** Service accounts an account may have: those of the published API, 20, and 100 for enterprise. */
export const MAX_SERVICE_ACCOUNTS = Object.fromEntries(
  TIER_NAMES.map((tier) => [tier, tier === 'enterprise' ? 100 : 20]),
) as Record<Tier, number>;
