import type { Tier } from '../accounts/tiers';
import { DomainError } from '../errors';

/** The one tier whose accounts may have IP allow-lists on their keys. */
export const ALLOW_LIST_TIER: Tier = 'enterprise';

/** What the entitlement depends on: the tier, and whether an account manager has switched it on. */
interface AllowListEntitlement {
  readonly tier: Tier;
  readonly ipAllowListEnabled: boolean;
}

/** Whether the entitlement may be switched on for an account of this tier. Switching off is always possible. */
export function mayEnableAllowLists(tier: Tier): boolean {
  return tier === ALLOW_LIST_TIER;
}

/**
 * Whether a key of the account may get a list it does not have now.
 *
 * Only for new lists: a list that is stored is enforced in any case, so that switching the entitlement off, or
 * changing the tier, never lets in an address that was refused before.
 */
export function mayPlaceAllowList({ tier, ipAllowListEnabled }: AllowListEntitlement): boolean {
  return mayEnableAllowLists(tier) && ipAllowListEnabled;
}

/** The refusal of a list or an entry that {@link mayPlaceAllowList} does not allow, by the field that has it. */
export function listNotAvailable(
  { tier }: AllowListEntitlement,
  feature: string,
  param: string,
): DomainError {
  const switchedOff = {
    tier: `${tier} while IP allow-lists are switched off for the account`,
    needs: 'an account manager who switches them on',
  };
  const otherTier = {
    tier,
    needs: `the tier ${ALLOW_LIST_TIER}, and that an account manager has switched it on`,
  };
  const refusal = mayEnableAllowLists(tier) ? switchedOff : otherTier;
  return new DomainError('feature_not_available', { feature, ...refusal }, { param });
}
