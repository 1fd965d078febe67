import { api, unwrap, type Schema } from '../api/client';

export type Policy = Schema['NamedKeyPolicyResponse'];
export type Reach = Schema['KeyPolicyDryRunResponse'];

/** Whose policy it is: one of the two. */
export type Scope = { tier: Tier; account_id: null } | { tier: null; account_id: string };
type Tier = NonNullable<Policy['tier']>;

/** What a policy demands; null demands nothing. */
export type Rules = Pick<
  Policy,
  'max_lifetime_days' | 'rotation_age_days' | 'idle_warn_days' | 'idle_disable_days'
>;

const LIST = '/admin/key-policies';
const OF_TIER = '/admin/key-policies/{tier}';
const OF_ACCOUNT = '/admin/accounts/{account_id}/key-policy';

export const POLICIES_KEY = ['key-policies'];

export async function listPolicies(): Promise<{ items: Policy[] }> {
  return unwrap(api.GET(LIST));
}

export function scopeOf({ tier, account_id }: Policy): Scope {
  return tier === null ? { tier, account_id: account_id! } : { tier, account_id: null };
}

/** What rules would concern among the keys of a tier or an account; changes nothing. */
export async function tryPolicy(
  { tier, account_id }: Scope,
  body: Schema['KeyPolicyDryRunBody'],
): Promise<Reach> {
  if (tier !== null) return unwrap(api.POST(`${OF_TIER}/dry-run`, { params: { path: { tier } }, body }));
  return unwrap(api.POST(`${OF_ACCOUNT}/dry-run`, { params: { path: { account_id } }, body }));
}

export async function savePolicy(
  { tier, account_id }: Scope,
  body: Schema['SaveKeyPolicyBody'],
): Promise<unknown> {
  if (tier !== null) return unwrap(api.PUT(OF_TIER, { params: { path: { tier } }, body }));
  return unwrap(api.PUT(OF_ACCOUNT, { params: { path: { account_id } }, body }));
}

export async function removePolicy({ tier, account_id }: Scope, reason: string): Promise<unknown> {
  const body = { reason };
  if (tier !== null) return unwrap(api.DELETE(OF_TIER, { params: { path: { tier } }, body }));
  return unwrap(api.DELETE(OF_ACCOUNT, { params: { path: { account_id } }, body }));
}

/** Gives the keys that the policy is about the expiry that it allows. */
export async function applyPolicy({ tier, account_id }: Scope, body: Schema['ApplyKeyPolicyBody']) {
  if (tier !== null) return unwrap(api.POST(`${OF_TIER}/apply`, { params: { path: { tier } }, body }));
  return unwrap(api.POST(`${OF_ACCOUNT}/apply`, { params: { path: { account_id } }, body }));
}
