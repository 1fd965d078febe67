import { mayEnableAllowLists, mayPlaceAllowList } from './allow-list-entitlement';
import { TIER_NAMES } from '../accounts/tiers';

describe('the entitlement of IP allow-lists', () => {
  it('can be switched on for enterprise only', () => {
    expect(TIER_NAMES.filter(mayEnableAllowLists)).toEqual(['enterprise']);
  });

  it('lets a new list be placed only on the tier and while it is switched on', () => {
    const placing = TIER_NAMES.flatMap((tier) =>
      [true, false].map((ipAllowListEnabled) => ({ tier, ipAllowListEnabled })),
    ).filter(mayPlaceAllowList);
    expect(placing).toEqual([{ tier: 'enterprise', ipAllowListEnabled: true }]);
  });
});
