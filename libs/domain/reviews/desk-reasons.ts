import type { Tier } from '../accounts/tiers';
import { RULESET_IDS, rulesetOf, type Ruleset, type RulesetId } from './recording-rulesets';
import type { SecondOpinion } from './second-opinion';

/** Why a voice needs the ear of a person, most pressing first. */
export const DESK_REASONS = [
  'no_go_match',
  'complaint',
  'appeal',
  'second_opinion',
  'low_confidence',
  'near_boundary',
  'sampled',
  'second_listening',
] as const;

export type DeskReason = (typeof DESK_REASONS)[number];

/** Those that a new verdict leaves: a person, the customer or the no-go list has sent the voice there. */
export const LASTING_REASONS: readonly DeskReason[] = ['no_go_match', 'complaint', 'appeal'];

interface DeskRow {
  /** Hours within which a person should have decided, for a tier with the factor 1. */
  hours: number;
  /** Higher comes first in the queue. */
  priority: number;
}

/** The one table of targets. */
const ROWS: Record<DeskReason, DeskRow> = {
  no_go_match: { hours: 4, priority: 2 },
  complaint: { hours: 8, priority: 2 },
  appeal: { hours: 24, priority: 2 },
  second_opinion: { hours: 48, priority: 1 },
  low_confidence: { hours: 72, priority: 1 },
  near_boundary: { hours: 96, priority: 0 },
  sampled: { hours: 168, priority: 0 },
  second_listening: { hours: 168, priority: 0 },
};

/** By how much the target of each tier is longer or shorter. */
const TIER_FACTORS: Record<Tier, number> = {
  free: 2,
  starter: 1.5,
  creator: 1,
  pro: 1,
  scale: 0.75,
  business: 0.5,
  enterprise: 0.5,
};

/** A score this near to the least score of a grade could as well have been the other grade. */
const NEAR_POINTS = 0.05;
/** Scores this far apart are more than one grade apart. */
const DISAGREEING_POINTS = 1;

/** What a ruleset decided, as far as it says whether a person should listen. */
export interface DeskVerdict {
  ruleset: string;
  /** Null when nothing could be measured: then there is nothing to listen to either. */
  score: number | null;
  lowConfidence: boolean;
  secondOpinion: SecondOpinion | null;
}

/**
 * Why a person should listen to a voice that a ruleset has graded; empty when none needs to.
 *
 * @param isSampled whether it is one of those that are checked without any other reason
 */
export function whyForPeople(verdict: DeskVerdict, isSampled: boolean): DeskReason[] {
  const { score, lowConfidence } = verdict;
  if (score === null) return [];
  const holds: Partial<Record<DeskReason, boolean>> = {
    second_opinion: disagrees(score, verdict.secondOpinion),
    low_confidence: lowConfidence,
    near_boundary: isNearBoundary(score, verdict.ruleset),
    sampled: isSampled,
  };
  return DESK_REASONS.filter((reason) => holds[reason]);
}

/** How urgent an item with these reasons is: that of the most urgent of them. */
export function deskUrgency(
  reasons: readonly DeskReason[],
  tier: Tier,
): { targetHours: number; priority: number } {
  const rows = reasons.map((reason) => ROWS[reason]);
  return {
    targetHours: Math.min(...rows.map(({ hours }) => hours)) * TIER_FACTORS[tier],
    priority: Math.max(...rows.map(({ priority }) => priority)),
  };
}

function disagrees(score: number, opinion: SecondOpinion | null): boolean {
  const theirs = opinion?.ovrl ?? opinion?.p808 ?? null;
  return theirs !== null && Math.abs(theirs - score) >= DISAGREEING_POINTS;
}

function isNearBoundary(score: number, ruleset: string): boolean {
  const rules = findRules(ruleset);
  if (!rules) return false;
  // In steps of a hundredth, as scores are shown: 3.65 is as near to 3.6 as 3.55.
  const nearness = (bound: number) => Math.round(Math.abs(score - bound) * 100) / 100;
  return Object.values(rules.grades).some((bound) => nearness(bound) <= NEAR_POINTS);
}

function findRules(id: string): Ruleset | null {
  return (RULESET_IDS as readonly string[]).includes(id) ? rulesetOf(id as RulesetId) : null;
}
