import { FAULT_OPTIONS } from './fault-options';
import type { StormPlan } from './storm';

const { isLong, stormMs, seed } = FAULT_OPTIONS;
/** The storm that Greenroom and the naive version go through. */
export const PLAN: StormPlan = {
  seed,
  stormMs,
  everyMs: isLong ? 100 : 50,
  gapMs: isLong ? [1_000, 6_000] : [200, 800],
};
/** More than are requested: the storm ends the load. */
export const PREVIEWS = Math.ceil((stormMs / PLAN.everyMs) * 1.2) + 100;
/** The longest that one storm and its end take. */
export const STORM_TIMEOUT_MS = stormMs + 300_000;
