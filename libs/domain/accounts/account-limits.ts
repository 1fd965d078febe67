import { TIERS, type Tier, type TierRow } from './tiers';

/** The limits that belong to an account as a whole. */
type AccountLimits = Pick<TierRow, 'credits' | 'voiceSlots' | 'concurrency'>;

/** What an account gets instead of its tier's share; null where the tier decides. */
export type LimitOverrides = { readonly [Limit in keyof AccountLimits]: number | null };

/** The limits an account has: its overrides, and its tier's share where there is none. 0 is an override too. */
export function effectiveLimits(tier: Tier, overrides: LimitOverrides): AccountLimits {
  const share = TIERS[tier];
  return {
    credits: overrides.credits ?? share.credits,
    voiceSlots: overrides.voiceSlots ?? share.voiceSlots,
    concurrency: overrides.concurrency ?? share.concurrency,
  };
}
