import type { PolicyScope } from '@app/database/key-policies/key-policy.repository';
import { DomainError } from '@app/domain/errors';

/** The refusal for a tier or an account without a policy of its own. */
export function policyNotFound({ tier, accountId }: PolicyScope): DomainError {
  return new DomainError('key_policy_not_found', {
    whose: tier === null ? `account ${accountId}` : `tier ${tier}`,
  });
}
