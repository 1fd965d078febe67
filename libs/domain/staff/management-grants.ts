import { DAY_MS } from '../common/utc-days';
import { parseAllowList } from '../allow-lists/allow-list';
import type { InputProblem } from '../common/invalid-input';
import { isUuid } from '../common/uuid';
import { mayStaff, type StaffPermission, type StaffRole } from './staff-permissions';

/**
 * What programs may be given. Never what guards people (staff, roles, sign-in, credentials), decides for a second person, or is
 * a person's judgement of a voice; what is not here cannot be given, so a new permission has to be added on purpose.
 */
export const MANAGEABLE_PERMISSIONS = [
  'accounts.read',
  'accounts.write',
  'entitlements.write',
  'keys.read',
  'keys.explain',
  'keys.write',
  'keys.release',
  'key_policies.write',
  'voices.read',
  'queues.read',
  'queues.retry',
  'queues.pause',
  'approvals.read',
  'alerts.read',
  'alerts.write',
  'usage_sinks.read',
  'usage_sinks.replay',
] as const satisfies readonly StaffPermission[];

export type ManageablePermission = (typeof MANAGEABLE_PERMISSIONS)[number];

/** Which accounts a credential may touch: all, those of a list, those with a tag, or those that it has created. */
export const ACCOUNT_BOUNDS = ['all', 'listed', 'tagged', 'created'] as const;
export type AccountBound = (typeof ACCOUNT_BOUNDS)[number];

/** Requests a minute of a credential that names none, and the most that one may have. */
export const DEFAULT_MANAGEMENT_REQUESTS = 600;
export const MAX_MANAGEMENT_REQUESTS = 10_000;
export const MAX_MANAGED_ACCOUNTS = 1_000;
export const MAX_MANAGEMENT_DAYS = 366;

/** What a credential may do, as it is requested or stored. */
export interface ManagementGrant {
  permissions: StaffPermission[];
  accounts: AccountBound;
  accountIds: string[];
  tag: string | null;
  allowedIps: string[];
  expiresAt: Date;
}

/** Whether a permission may be given to a program at all. */
export function isManageable(permission: string): permission is ManageablePermission {
  return MANAGEABLE_PERMISSIONS.some((manageable) => manageable === permission);
}

/** Whether a credential may do an action now: it has the permission, and so has its creator. */
export function mayManage(
  { permissions, role }: { permissions: readonly StaffPermission[]; role: StaffRole },
  permission: StaffPermission,
): boolean {
  return isManageable(permission) && permissions.includes(permission) && mayStaff(role, permission);
}

/** Why a credential opens nothing any more. */
export type ManagementEnd = 'disabled' | 'expired' | 'secret_retired' | 'creator_disabled';

/** What says whether a credential is in use. */
export interface ManagementState {
  disabledAt: Date | null;
  expiresAt: Date;
  /** When the secret that is presented stops working, after a rotation; null for the newest. */
  retiresAt: Date | null;
  /** Whether its creator may not sign in. */
  creatorDisabled: boolean;
}

/** Why a credential opens nothing; null when it is in use. */
export function endOfManagement(
  { disabledAt, expiresAt, retiresAt, creatorDisabled }: ManagementState,
  nowMs: number,
): ManagementEnd | null {
  if (disabledAt) return 'disabled';
  if (nowMs >= expiresAt.getTime()) return 'expired';
  if (retiresAt && nowMs >= retiresAt.getTime()) return 'secret_retired';
  return creatorDisabled ? 'creator_disabled' : null;
}

/** Parameters of a path that say which account an operation is about. */
export const PROVING_PARAMS = ['account_id', 'key_id', 'voice_id', 'approval_id', 'change_id'] as const;
export type ProvingParam = (typeof PROVING_PARAMS)[number];

export function isProvingParam(proof: AccountProof): proof is ProvingParam {
  return PROVING_PARAMS.some((param) => param === proof);
}

/** A route as a bounded credential sees it, by its path with placeholders. */
export type AccountProof = ProvingParam | 'opens_account' | 'narrowed' | null;

/** Lists, searches, exports and changes of many that show a bounded credential what is within its bounds, and touch nothing else. */
export const NARROWED_LISTS: readonly string[] = [
  'GET /admin/accounts',
  'GET /admin/api-keys',
  'GET /admin/api-keys/export',
  'GET /admin/approvals',
  'GET /admin/bulk-key-changes',
  'POST /admin/bulk-key-changes',
  'POST /admin/bulk-key-changes/dry-run',
  'GET /admin/key-safety',
  'GET /admin/key-safety/accounts',
  'GET /admin/voices',
];

/** What shows objects of other accounts beside the one in its path. */
const BESIDE_OTHERS = /^\/admin\/voices\/:voice_id\/same-/;

/**
 * What in the path of an operation says which account it is about: its id, or an object of it; null when nothing does. Only such
 * operations are open to a credential that is bound to accounts, with the lists that are narrowed to these, and the opening of an
 * account to one that is bound to those it has created.
 */
export function accountProofOf(method: string, path: string): AccountProof {
  if (method === 'POST' && path === '/admin/accounts') return 'opens_account';
  if (NARROWED_LISTS.includes(`${method} ${path}`)) return 'narrowed';
  if (BESIDE_OTHERS.test(path)) return null;
  const parts = path.split('/');
  return PROVING_PARAMS.find((param) => parts.includes(`:${param}`)) ?? null;
}

/** Why a credential cannot be given this, field by field; empty when it can. */
export function problemsOfGrant(
  grant: ManagementGrant,
  { role, now, anyAddress }: { role: StaffRole; now: Date; anyAddress: boolean },
): InputProblem[] {
  return [
    ...grant.permissions.flatMap((permission, index) => permissionProblem(permission, index, role)),
    ...boundProblems(grant),
    ...addressProblems(grant.allowedIps, anyAddress),
    ...endProblems(grant.expiresAt, now),
  ];
}

function permissionProblem(permission: StaffPermission, index: number, role: StaffRole): InputProblem[] {
  if (isManageable(permission) && mayStaff(role, permission)) return [];
  const accepted = MANAGEABLE_PERMISSIONS.filter((each) => mayStaff(role, each)).join(', ');
  const msg = `Input should be a permission that a program may have and the role ${role} of its creator has: ${accepted}`;
  return [problem(['permissions', index], msg, permission, accepted)];
}

function boundProblems({ accounts, accountIds, tag }: ManagementGrant): InputProblem[] {
  const isListed = accounts === 'listed';
  const isTagged = accounts === 'tagged';
  const wrongId = accountIds.findIndex((id) => !isUuid(id));
  return [
    ...(isListed !== accountIds.length > 0
      ? [problem(['account_ids'], `Input should be ids with accounts 'listed', and only then`, accountIds)]
      : []),
    ...(wrongId === -1
      ? []
      : [problem(['account_ids', wrongId], 'Input should be the id of an account', accountIds[wrongId])]),
    ...(isTagged === (tag === null)
      ? [problem(['tag'], `Input should be a tag with accounts 'tagged', and only then`, tag)]
      : []),
  ];
}

function addressProblems(allowedIps: readonly string[], anyAddress: boolean): InputProblem[] {
  if (allowedIps.length > 0) {
    return parseAllowList(allowedIps).problems.map(({ index, message }) =>
      index === null
        ? problem(['allowed_ips'], message, allowedIps)
        : problem(['allowed_ips', index], message, allowedIps[index]),
    );
  }
  if (anyAddress) return [];
  const msg =
    'Input should be the addresses that may use it; confirm_any_address lets it work from every address';
  return [problem(['allowed_ips'], msg, [])];
}

function endProblems(expiresAt: Date, now: Date): InputProblem[] {
  const latest = new Date(now.getTime() + MAX_MANAGEMENT_DAYS * DAY_MS);
  if (expiresAt > now && expiresAt <= latest) return [];
  const accepted = `a time after now and not after ${latest.toISOString()}`;
  return [problem(['expires_at'], `Input should be ${accepted}`, expiresAt.toISOString(), accepted)];
}

function problem(path: InputProblem['path'], msg: string, input: unknown, accepted?: string): InputProblem {
  return { type: 'value_error', path, msg, input, ...(accepted !== undefined && { ctx: { accepted } }) };
}
