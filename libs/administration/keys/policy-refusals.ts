import type { PolicyScope } from '@app/database/key-policies/key-policy.repository';
import { DomainError } from '@app/domain/errors';

/** The refusal for a tier or an account without a separate policy. */
export function policyNotFound(scope: PolicyScope): DomainError {
  return new DomainError('key_policy_not_found', { whose: nameOf(scope) });
}

/** The refusal of what was decided about a policy that has been changed since. */
export function policyChanged(scope: PolicyScope): DomainError {
  return new DomainError('key_policy_changed', { whose: nameOf(scope) });
}

function nameOf({ tier, accountId }: PolicyScope): string {
  return tier === null ? `account ${accountId}` : `tier ${tier}`;
}
