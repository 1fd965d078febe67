import { TIERS, type Tier, type TierRow } from './tiers';

/** What an account gets instead of its tier's share; null where the tier decides. */
export type LimitOverrides = { readonly [Limit in keyof TierRow]: number | null };

/** The limits an account has: its overrides, and its tier's share where there is none. 0 is an override too. */
export function effectiveLimits(tier: Tier, overrides: LimitOverrides): TierRow {
  const share = TIERS[tier];
  return {
    credits: overrides.credits ?? share.credits,
    voiceSlots: overrides.voiceSlots ?? share.voiceSlots,
    concurrency: overrides.concurrency ?? share.concurrency,
  };
}
