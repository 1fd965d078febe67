import { contentVersion } from '../common/version';
import { rulesOf, type KeyPolicyRules } from './key-policy';

/** The version of a policy; 0 where a tier or an account has none. Apart: the console has no digests. */
export function policyVersion(policy: KeyPolicyRules | null): number {
  return contentVersion(policy && rulesOf(policy));
}
