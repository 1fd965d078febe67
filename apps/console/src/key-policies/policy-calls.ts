import type { WirePolicyRules } from '@app/domain/keys/key-policy';
import type { Permission } from '@app/domain/keys/permissions';
import { api, type Schema } from '../api/client';
import { plainName } from '../components/name';

export type Policy = Schema['NamedKeyPolicyResponse'];
export type Impact = Schema['KeyPolicyDryRunResponse'];

/** Whose policy it is: one of the two. */
export type Scope = { tier: Tier; account_id: null } | { tier: null; account_id: string };
type Tier = NonNullable<Policy['tier']>;

/** What a policy demands, with the permissions as the API knows them. */
export type Rules = Omit<WirePolicyRules, 'permissions'> & { permissions: Permission[] | 'all' };

const OF_TIER = '/admin/key-policies/{tier}';
const OF_ACCOUNT = '/admin/accounts/{account_id}/key-policy';

export const POLICIES_KEY = ['key-policies'];

export function scopeOf({ tier, account_id }: Policy): Scope {
  return tier === null ? { tier, account_id: account_id! } : { tier, account_id: null };
}

/** Whose policy it is, in words. */
export function policyName({ tier, account_id, account_name }: Policy): string {
  return tier === null ? plainName(account_name ?? account_id!) : `tier ${tier}`;
}

/** The policy of a tier or an account, as it was read last; null for none. */
export function currentOf(policies: Policy[], { tier, account_id }: Scope): Policy | null {
  return policies.find((one) => one.tier === tier && one.account_id === account_id) ?? null;
}

/** What rules would concern among the keys of a tier or an account; changes nothing. */
export async function tryPolicy(
  { tier, account_id }: Scope,
  body: Schema['KeyPolicyDryRunBody'],
): Promise<Impact> {
  if (tier !== null) return api.POST(`${OF_TIER}/dry-run`, tier, body);
  return api.POST(`${OF_ACCOUNT}/dry-run`, account_id, body);
}

/** The version of a tier or an account without a policy. */
const NO_POLICY = { version: 0 };

/** @param seen the policy that it has on this screen; null for none */
export async function savePolicy(
  { tier, account_id }: Scope,
  body: Schema['SaveKeyPolicyBody'],
  seen: Policy | null,
): Promise<unknown> {
  if (tier !== null) return api.PUT(OF_TIER, tier, body, seen ?? NO_POLICY);
  return api.PUT(OF_ACCOUNT, account_id, body, seen ?? NO_POLICY);
}

export async function removePolicy(policy: Policy, reason: string): Promise<unknown> {
  const body = { reason };
  const { tier, account_id } = scopeOf(policy);
  if (tier !== null) return api.DELETE(OF_TIER, tier, body, policy);
  return api.DELETE(OF_ACCOUNT, account_id, body, policy);
}

/** Gives the keys that the policy is about the expiry that it allows. */
export async function applyPolicy(policy: Policy, body: Schema['ApplyKeyPolicyBody']) {
  const { tier, account_id } = scopeOf(policy);
  if (tier !== null) return api.POST(`${OF_TIER}/apply`, tier, body, policy);
  return api.POST(`${OF_ACCOUNT}/apply`, account_id, body, policy);
}
