import {
  auditScopeOf,
  mayStaff,
  permissionsOf,
  STAFF_PERMISSIONS,
  STAFF_ROLES,
  type StaffPermission,
} from './staff-permissions';

/** The agreed table, written out by hand: admin, account_manager, support, ops. */
const MATRIX: Record<StaffPermission, string> = {
  'accounts.read': '✓ ✓ ✓ –',
  'accounts.write': '✓ ✓ – –',
  'credits.request': '✓ ✓ ✓ –',
  'entitlements.write': '✓ ✓ – –',
  'keys.read': '✓ ✓ ✓ –',
  'keys.explain': '✓ ✓ ✓ –',
  'keys.write': '✓ ✓ – –',
  'keys.release': '✓ – – –',
  'key_policies.write': '✓ – – –',
  'service_credentials.read': '✓ – – –',
  'service_credentials.write': '✓ – – –',
  'management_credentials.read': '✓ – – –',
  'management_credentials.write': '✓ – – –',
  'voices.read': '✓ ✓ ✓ –',
  'voices.listen': '✓ – ✓ –',
  'voices.review': '✓ – ✓ –',
  'voices.share': '✓ – – –',
  'queues.read': '✓ – ✓ ✓',
  'queues.retry': '✓ – – ✓',
  'queues.pause': '✓ – – ✓',
  'checks.read': '✓ – – ✓',
  'usage_sinks.read': '✓ – – ✓',
  'usage_sinks.replay': '✓ – – ✓',
  'approvals.read': '✓ ✓ ✓ –',
  'approvals.decide': '✓ ✓ – –',
  'alerts.read': '✓ ✓ ✓ –',
  'alerts.write': '✓ – – –',
  'audit.read_all': '✓ – – –',
  'audit.read_own_accounts': '✓ ✓ – –',
  'audit.read_keys': '✓ – ✓ –',
  'audit.read_own_actions': '✓ ✓ ✓ ✓',
  'staff.read': '✓ – – –',
  'staff.write': '✓ – – –',
};

describe('mayStaff', () => {
  it.each(Object.entries(MATRIX))('%s: %s', (permission, expected) => {
    const marks = STAFF_ROLES.map((role) => (mayStaff(role, permission as StaffPermission) ? '✓' : '–'));
    expect(marks.join(' ')).toBe(expected);
  });

  it('the agreed table covers every permission', () => {
    expect(Object.keys(MATRIX)).toEqual(STAFF_PERMISSIONS);
  });
});

it('an admin may do everything', () => {
  expect(permissionsOf('admin')).toEqual(STAFF_PERMISSIONS);
});

it('a role that may change a thing may read it', () => {
  const blind = STAFF_ROLES.flatMap((role) =>
    permissionsOf(role)
      .map((permission) => [role, permission, readOf(permission)] as const)
      .filter(([, , read]) => read !== undefined && !mayStaff(role, read)),
  );
  expect(blind).toEqual([]);
});

function readOf(permission: StaffPermission): StaffPermission | undefined {
  return STAFF_PERMISSIONS.find((other) => other === `${permission.split('.')[0]}.read`);
}

it('each role sees its part of the audit log', () => {
  expect(STAFF_ROLES.map(auditScopeOf)).toEqual(['all', 'own_accounts', 'keys', 'own_actions']);
});
