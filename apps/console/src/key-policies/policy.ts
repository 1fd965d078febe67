import type { WirePolicyRules } from '@app/domain/keys/key-policy';
import type { Permission } from '@app/domain/keys/permissions';
import { likePath, type Schema } from '../api/client';
import { plainName } from '../components/inline';

export type Policy = Schema['NamedKeyPolicyResponse'];

export type Scope = Pick<Policy, 'tier' | 'account_id'>;

/** What a policy demands, with the permissions as the API knows them. */
export type Rules = Omit<WirePolicyRules, 'permissions'> & { permissions: Permission[] | 'all' };

const OF_TIER = '/admin/key-policies/{tier}';
const OF_ACCOUNT = likePath(OF_TIER, '/admin/accounts/{account_id}/key-policy');

export const placeOf = ({ tier, account_id }: Scope): [typeof OF_TIER, NonNullable<Policy['tier']>] =>
  tier === null ? [OF_ACCOUNT, account_id as never] : [OF_TIER, tier];

export const policyName = ({ tier, account_id, account_name }: Policy): string =>
  tier === null ? plainName(account_name ?? account_id!) : `tier ${tier}`;

export const currentOf = (policies: Policy[], { tier, account_id }: Scope): Policy | undefined =>
  policies.find((one) => one.tier === tier && one.account_id === account_id);
