/** What a member of staff may be. One role each. */
export const STAFF_ROLES = ['admin', 'account_manager', 'support', 'ops'] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];

const EVERYONE: readonly StaffRole[] = STAFF_ROLES;
const ACCOUNTS: readonly StaffRole[] = ['admin', 'account_manager'];
const CUSTOMER_FACING: readonly StaffRole[] = ['admin', 'account_manager', 'support'];
const INSPECTION: readonly StaffRole[] = ['admin', 'support'];
const OPERATIONS: readonly StaffRole[] = ['admin', 'ops'];
const ADMINS: readonly StaffRole[] = ['admin'];

/** Every action of the staff API and the roles that may do it. What is not here cannot be required. */
const ROLES_BY_PERMISSION = {
  'accounts.read': CUSTOMER_FACING,
  'accounts.write': ACCOUNTS,
  'credits.request': CUSTOMER_FACING,
  'entitlements.write': ACCOUNTS,
  'keys.read': CUSTOMER_FACING,
  'keys.explain': CUSTOMER_FACING,
  'keys.write': ACCOUNTS,
  'keys.release': ADMINS,
  'key_policies.write': ADMINS,
  'service_credentials.read': ADMINS,
  'service_credentials.write': ADMINS,
  'management_credentials.read': ADMINS,
  'management_credentials.write': ADMINS,
  'voices.read': CUSTOMER_FACING,
  'voices.listen': INSPECTION,
  'voices.review': INSPECTION,
  'voices.share': ADMINS,
  'queues.read': ['admin', 'support', 'ops'],
  'queues.retry': OPERATIONS,
  'queues.pause': OPERATIONS,
  'checks.read': OPERATIONS,
  'usage_sinks.read': OPERATIONS,
  'usage_sinks.replay': OPERATIONS,
  'approvals.read': CUSTOMER_FACING,
  'approvals.decide': ACCOUNTS,
  'alerts.read': CUSTOMER_FACING,
  'alerts.write': ADMINS,
  'audit.read_all': ADMINS,
  'audit.read_own_accounts': ACCOUNTS,
  'audit.read_keys': INSPECTION,
  'audit.read_own_actions': EVERYONE,
  'staff.read': ADMINS,
  'staff.write': ADMINS,
} as const satisfies Record<string, readonly StaffRole[]>;

/** What a role is for, in words; the table decides. */
export const ROLE_TEXTS = {
  admin: 'Everything, with staff, credentials, policies and alerts.',
  account_manager:
    'Accounts, credits, API keys and allow-lists; approves what others request. Reads voices, and listens to none.',
  support:
    'Reads accounts and API keys, explains refusals, requests credits. Listens to voices and grades them.',
  ops: 'Queues, workers, timers and checks. Reads no account, key or voice.',
} as const satisfies Record<StaffRole, string>;

export type StaffPermission = keyof typeof ROLES_BY_PERMISSION;

export const STAFF_PERMISSIONS = Object.keys(ROLES_BY_PERMISSION) as StaffPermission[];

/** Whether a role may do an action. */
export function mayStaff(role: StaffRole, permission: StaffPermission): boolean {
  return rolesThatMay(permission).includes(role);
}

/** The roles that may do an action. */
export function rolesThatMay(permission: StaffPermission): readonly StaffRole[] {
  return ROLES_BY_PERMISSION[permission];
}

/** Everything a role may do, in the order of the table. */
export function permissionsOf(role: StaffRole): StaffPermission[] {
  return STAFF_PERMISSIONS.filter((permission) => mayStaff(role, permission));
}

/** Which part of the audit log a role sees. */
export type AuditScope = 'all' | 'own_accounts' | 'keys' | 'own_actions';

export function auditScopeOf(role: StaffRole): AuditScope {
  if (mayStaff(role, 'audit.read_all')) return 'all';
  if (mayStaff(role, 'audit.read_own_accounts')) return 'own_accounts';
  return mayStaff(role, 'audit.read_keys') ? 'keys' : 'own_actions';
}
