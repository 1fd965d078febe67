import {
  accountProofOf,
  isManageable,
  MANAGEABLE_PERMISSIONS,
  mayManage,
  problemsOfGrant,
  type ManagementGrant,
} from './management-grants';
import { mayStaff, STAFF_PERMISSIONS, STAFF_ROLES } from './staff-permissions';

const NOW = new Date('2030-01-01T00:00:00Z');
const ACCOUNT = '3f0b9a52-6f5c-4a43-9d6e-6a0f3b1f7c11';
const GRANT: ManagementGrant = {
  permissions: ['accounts.read', 'keys.write'],
  accounts: 'all',
  accountIds: [],
  tag: null,
  allowedIps: ['192.0.2.0/24'],
  expiresAt: new Date('2030-06-01T00:00:00Z'),
};

const fieldsOf = (grant: Partial<ManagementGrant>, role = 'admin' as const, anyAddress = false) =>
  problemsOfGrant({ ...GRANT, ...grant }, { role, now: NOW, anyAddress }).map(({ path }) => path.join('.'));

it('programs have nothing that guards people, decides for a second person or judges voices', () => {
  expect(STAFF_PERMISSIONS.filter((permission) => !isManageable(permission))).toEqual([
    'credits.request',
    'service_credentials.read',
    'service_credentials.write',
    'management_credentials.read',
    'management_credentials.write',
    'voices.listen',
    'voices.review',
    'voices.share',
    'checks.read',
    'approvals.decide',
    'audit.read_all',
    'audit.read_own_accounts',
    'audit.read_keys',
    'audit.read_own_actions',
    'staff.read',
    'staff.write',
  ]);
});

it('a credential may do what it has and its creator may do now, and nothing else', () => {
  for (const role of STAFF_ROLES) {
    for (const permission of STAFF_PERMISSIONS) {
      const holds = (permissions: (typeof permission)[]) => mayManage({ permissions, role }, permission);
      expect(holds([permission])).toBe(isManageable(permission) && mayStaff(role, permission));
      expect(holds(STAFF_PERMISSIONS.filter((other) => other !== permission))).toBe(false);
    }
  }
});

it.each([
  ['all that is right', {}, []],
  [
    'a permission that people alone have',
    { permissions: ['accounts.read', 'staff.write'] },
    ['permissions.1'],
  ],
  ['a list without ids', { accounts: 'listed' }, ['account_ids']],
  ['a list', { accounts: 'listed', accountIds: [ACCOUNT] }, []],
  ['ids without a list', { accountIds: [ACCOUNT] }, ['account_ids']],
  ['what is no id', { accounts: 'listed', accountIds: [ACCOUNT, 'x'] }, ['account_ids.1']],
  ['a bound by tag without a tag', { accounts: 'tagged' }, ['tag']],
  ['a tag without that bound', { tag: 'reseller' }, ['tag']],
  ['no address', { allowedIps: [] }, ['allowed_ips']],
  ['a wrong address', { allowedIps: ['192.0.2.1', '192.0.2.300'] }, ['allowed_ips.1']],
  ['an end that is over', { expiresAt: NOW }, ['expires_at']],
  ['an end after more than a year', { expiresAt: new Date('2031-01-03T00:00:00Z') }, ['expires_at']],
] as [string, Partial<ManagementGrant>, string[]][])('%s', (_, grant, expected) => {
  expect(fieldsOf(grant)).toEqual(expected);
});

it('every address has to be confirmed', () => {
  expect(fieldsOf({ allowedIps: [] }, 'admin', true)).toEqual([]);
});

it('an admin may give every manageable permission; another role only what it has', () => {
  const grant = { ...GRANT, permissions: [...MANAGEABLE_PERMISSIONS] };
  const refused = STAFF_ROLES.map(
    (role) => problemsOfGrant(grant, { role, now: NOW, anyAddress: false }).length,
  );
  expect(refused).toEqual(
    STAFF_ROLES.map((role) => MANAGEABLE_PERMISSIONS.filter((each) => !mayStaff(role, each)).length),
  );
  expect(refused[0]).toBe(0);
});

it.each([
  ['GET', '/admin/accounts/:account_id/usage', 'account_id'],
  ['POST', '/admin/queues/accounts/:account_id/hold', 'account_id'],
  ['POST', '/admin/api-keys/:key_id/disable', 'key_id'],
  ['POST', '/admin/accounts', 'opens_account'],
  ['GET', '/admin/accounts', 'narrowed'],
  ['GET', '/admin/api-keys/export', 'narrowed'],
  ['GET', '/admin/approvals', 'narrowed'],
  ['GET', '/admin/approvals/:approval_id', 'approval_id'],
  ['GET', '/admin/voices/:voice_id', 'voice_id'],
  ['GET', '/admin/voices/:voice_id/same-recordings', null],
  ['GET', '/admin/usage-sinks', null],
])('%s %s is about %s', (method, path, proof) => {
  expect(accountProofOf(method, path)).toBe(proof);
});
