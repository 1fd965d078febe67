import type { ApprovalKind } from '@app/domain/approvals/approvals';
import type { Schema } from '../api/client';
import { formatNumber, plural } from '../components/number';

type Approval = Pick<Schema['ApprovalResponse'], 'kind' | 'target' | 'after'>;

/** What each kind of change is called in a list of choices. */
export const KIND_NAMES: Record<ApprovalKind, string> = {
  account_settings: 'Tier and limits',
  allow_list_entitlement: 'Allow-lists on or off',
  credits: 'Credits',
  list_removal: 'Allow-list removed or very wide',
  key_restore: 'Restoring an exposed key',
  bulk_change: 'Many keys',
  bulk_undo: 'Undo of a change of many keys',
  bulk_keep: 'Keeping a change of many keys',
  key_policy: 'Key policy of an account',
  tier_key_policy: 'Key policy of a tier',
  idle_policy: 'Idle keys of an account',
  tier_idle_policy: 'Idle keys of a tier',
};

/** What would be done, before the name of what it is done to: "Give 5,000 credits to". */
export function whatIsRequested({ kind, target, after }: Approval): string {
  const {
    amount,
    keys,
    tier,
    ip_allow_list_enabled: enabled,
    allowed_ips: allowedIps,
  } = (after ?? {}) as Record<string, unknown>;
  const texts: Record<ApprovalKind, string> = {
    account_settings: 'Change the tier or the limits of',
    allow_list_entitlement: `Switch allow-lists ${enabled === true ? 'on' : 'off'} for`,
    credits: `Give ${formatNumber(Number(amount))} credits to`,
    list_removal: allowedIps === null ? 'Remove the allow-list of' : 'Let in very wide blocks for',
    key_restore: 'Restore the exposed key',
    bulk_change: `Change ${plural(Number(keys), 'key')} at once`,
    bulk_undo: `Undo a change of ${plural(Number(keys), 'key')}`,
    bulk_keep: `Keep a change of ${plural(Number(keys), 'key')}`,
    key_policy: `Let ${plural(Number(keys), 'key')} expire earlier`,
    idle_policy: `Disable ${plural(Number(keys), 'idle key')}, after a warning, of`,
    tier_idle_policy: `Disable ${plural(Number(keys), 'idle key')}, after a warning, of the tier ${target.id}`,
    tier_key_policy: `Let ${plural(Number(keys), 'key')} of the tier ${String(tier)} expire earlier`,
  };
  return texts[kind];
}
