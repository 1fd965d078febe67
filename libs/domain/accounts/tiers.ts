/** The tiers of an account and what each one gives. The one table of tiers. */
export interface TierRow {
  /** Credits per billing period; one credit is one character of preview text. */
  credits: number;
  /** Voices the account may keep. */
  voiceSlots: number;
  /** Generations that may run at the same time. */
  concurrency: number;
  /** Requests a key may make per minute, unless it has a separate number. */
  requestsPerMinute: number;
  /** Reviews that start in one turn of the account, while others wait too. */
  reviewsPerTurn: number;
}

export const TIERS = {
  free: { credits: 10_000, voiceSlots: 3, concurrency: 2, requestsPerMinute: 60_000, reviewsPerTurn: 1 },
  starter: { credits: 30_000, voiceSlots: 10, concurrency: 3, requestsPerMinute: 120_000, reviewsPerTurn: 1 },
  creator: {
    credits: 100_000,
    voiceSlots: 30,
    concurrency: 5,
    requestsPerMinute: 300_000,
    reviewsPerTurn: 1,
  },
  pro: { credits: 500_000, voiceSlots: 160, concurrency: 10, requestsPerMinute: 600_000, reviewsPerTurn: 2 },
  scale: {
    credits: 2_000_000,
    voiceSlots: 660,
    concurrency: 15,
    requestsPerMinute: 1_200_000,
    reviewsPerTurn: 2,
  },
  business: {
    credits: 11_000_000,
    voiceSlots: 660,
    concurrency: 15,
    requestsPerMinute: 1_200_000,
    reviewsPerTurn: 3,
  },
  enterprise: {
    credits: 50_000_000,
    voiceSlots: 10_000,
    concurrency: 30,
    requestsPerMinute: 6_000_000,
    reviewsPerTurn: 4,
  },
} as const satisfies Record<string, TierRow>;

export type Tier = keyof typeof TIERS;

export const TIER_NAMES = Object.keys(TIERS) as Tier[];

/** The tiers from `lowest` upwards, in ascending order. */
export function tiersFrom(lowest: Tier): Tier[] {
  return TIER_NAMES.slice(TIER_NAMES.indexOf(lowest));
}
