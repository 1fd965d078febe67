import * as fc from 'fast-check';
import { effectiveLimits } from './account-limits';
import { TIER_NAMES, TIERS } from './tiers';

describe('the limits of an account', () => {
  const limit = fc.option(fc.nat());

  it('are its overrides, and the share of its tier where there is none; 0 is an override', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TIER_NAMES),
        fc.record({ credits: limit, voiceSlots: limit, concurrency: limit }),
        (tier, overrides) => {
          const limits = effectiveLimits(tier, overrides);
          for (const name of ['credits', 'voiceSlots', 'concurrency'] as const) {
            expect(limits[name]).toBe(overrides[name] === null ? TIERS[tier][name] : overrides[name]);
          }
        },
      ),
    );
  });
});
