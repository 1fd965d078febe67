import { formatCidr } from '@app/domain/addresses/cidr';
import type { StoredAllowList } from '@app/domain/allow-lists/allow-list';
import { toCurrentBudget, type CurrentBudgetResponse } from '../budgets/current-budget.dto';
import type { OwnKey } from './user.service';

export interface OwnKeyResponse {
  key_id: string;
  name: string;
  /** The secret without its middle. */
  hint: string;
  created_at: string;
  /** Null for a key that does not expire. */
  expires_at: string | null;
  permissions: readonly string[] | 'all';
  /** Addresses that the key may be used from; null for any. */
  allowed_ips: string[] | null;
  /** The list of the account, which must have the address too; null for any. */
  account_allowed_ips: string[] | null;
  /** The address that this request came from, as the lists are compared with it. */
  client_address: string | null;
  /** Models and voices that the key may use; null for all. */
  models: readonly string[] | null;
  voices: readonly string[] | null;
  requests_per_minute: number;
  requests_per_second: number | null;
  requests_per_day: number | null;
  /** Generations at once. */
  concurrency_limit: number;
  credits: {
    /** Of the key, in the billing period; null for the account's limit only. */
    limit: number | null;
    used: number;
    /** What it can still spend, its account and the keys above it included; null when nothing limits it. */
    remaining: number | null;
    period_end: string;
  };
  /** Budgets that its charges count for, at most 20. */
  budgets: CurrentBudgetResponse[];
}

export function toOwnKey(own: OwnKey): OwnKeyResponse {
  const { key, grants } = own;
  return {
    key_id: key.id,
    name: key.name,
    hint: key.maskedSecret,
    created_at: key.createdAt.toISOString(),
    expires_at: grants.expiresAtMs === null ? null : new Date(grants.expiresAtMs).toISOString(),
    permissions: grants.permissions ?? 'all',
    allowed_ips: grants.allowList && toAddresses(grants.allowList),
    account_allowed_ips: own.accountList,
    client_address: own.address,
    models: grants.models,
    voices: grants.voices,
    requests_per_minute: grants.requestsPerMinute,
    requests_per_second: key.requestsPerSecond,
    requests_per_day: key.requestsPerDay,
    concurrency_limit: Math.min(grants.concurrencyLimit ?? Infinity, own.accountConcurrency),
    credits: {
      limit: grants.creditLimit,
      used: key.creditsUsed,
      remaining: own.creditsRemaining,
      period_end: key.periodEnd.toISOString(),
    },
    budgets: own.budgets.map(toCurrentBudget),
  };
}

function toAddresses({ entries }: StoredAllowList): string[] {
  return entries.map(({ cidr }) => formatCidr(cidr));
}
