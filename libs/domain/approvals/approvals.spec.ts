import { missingApprovers, needsSecondPerson, type ApprovalKind, type ApprovalPolicy } from './approvals';

const OFF: ApprovalPolicy = {
  entitlements: false,
  creditsAbove: null,
  listRemoval: false,
  bulkChangeAbove: null,
};
const ON: ApprovalPolicy = {
  entitlements: true,
  creditsAbove: 1_000,
  listRemoval: true,
  bulkChangeAbove: 2,
};

const blocks = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ cidr: `${place + 20}.0.0.0/8` }));

const change = (after: object, before: object = {}) => ({ action: 'any', before, after });

const CASES: [string, ApprovalKind, boolean, ReturnType<typeof change>[]][] = [
  ['another tier', 'account_settings', true, [change({ tier: 'scale' })]],
  ['a limit with a name', 'account_settings', true, [change({ name: 'x', voice_limit_override: 9 })]],
  ['another name', 'account_settings', false, [change({ name: 'x' })]],
  ['allow-lists switched', 'allow_list_entitlement', true, [change({ ip_allow_list_enabled: true })]],
  ['as many credits', 'credits', false, [change({ amount: 1_000 })]],
  ['more credits', 'credits', true, [change({ amount: 1_001 })]],
  ['credits taken', 'credits', false, [change({ amount: -5_000 })]],
  ['a list removed', 'list_removal', true, [change({ allowed_ips: null }, { allowed_ips: [] })]],
  ['a list changed', 'list_removal', false, [change({ allowed_ips: [] }, { allowed_ips: [] })]],
  [
    'a list of practically everything',
    'list_removal',
    true,
    [
      change(
        { allowed_ips: [{ cidr: '192.0.2.1/32' }, { cidr: '2000::/3' }] },
        { allowed_ips: [{ cidr: '192.0.2.1/32' }] },
      ),
    ],
  ],
  [
    'a list that was as wide',
    'list_removal',
    false,
    [
      change(
        { allowed_ips: [{ cidr: '64.0.0.0/2' }] },
        { allowed_ips: [{ cidr: '64.0.0.0/2' }, { cidr: '192.0.2.1' }] },
      ),
    ],
  ],
  [
    'a hundred blocks that are very wide together',
    'list_removal',
    true,
    [change({ allowed_ips: blocks(100) }, { allowed_ips: [{ cidr: '192.0.2.1/32' }] })],
  ],
  [
    'one more block of a list that becomes very wide with it',
    'list_removal',
    true,
    [change({ allowed_ips: blocks(2) }, { allowed_ips: blocks(1) })],
  ],
  [
    'IPv6 blocks that are very wide together',
    'list_removal',
    true,
    [
      change(
        { allowed_ips: [{ cidr: '2001:db8::/32' }, { cidr: '2001:dba::/32' }] },
        { allowed_ips: [{ cidr: '2001:db8::/32' }] },
      ),
    ],
  ],
  [
    'a very wide block that no longer ends',
    'list_removal',
    true,
    [
      change(
        { allowed_ips: [{ cidr: '64.0.0.0/2', ends_at: null }] },
        { allowed_ips: [{ cidr: '64.0.0.0/2', ends_at: new Date('2030-01-01') }] },
      ),
    ],
  ],
  [
    'blocks of two families, neither of them very wide',
    'list_removal',
    false,
    [
      change(
        { allowed_ips: [...blocks(1), { cidr: '2001:db8::/32' }, { cidr: '192.0.2.1/32' }] },
        { allowed_ips: [{ cidr: '192.0.2.1/32' }] },
      ),
    ],
  ],
  ['a first list', 'list_removal', false, [change({ allowed_ips: [] }, { allowed_ips: null })]],
  ['an exposed key restored', 'key_restore', true, [change({ disable_reason: 'exposed_publicly' })]],
  ['another key restored', 'key_restore', false, [change({ disable_reason: null })]],
  ['nothing', 'allow_list_entitlement', false, []],
];

it.each(CASES)('%s (%s): a second person is needed: %s', (_, kind, needed, changes) => {
  expect(needsSecondPerson(kind, ON, changes)).toBe(needed);
  expect(needsSecondPerson(kind, OFF, changes)).toBe(false);
});

it('counts the keys of a change of many', () => {
  const changes = [change({ key_ids: ['a'] })];
  expect([2, 3].map((keys) => needsSecondPerson('bulk_change', ON, changes, keys))).toEqual([false, true]);
  expect(needsSecondPerson('bulk_change', OFF, changes, 3)).toBe(false);
});

it('says which changes too few people could approve', () => {
  const admins = (members: number) => [{ role: 'admin' as const, members }];
  const managers = { role: 'account_manager' as const, members: 1 };
  expect(missingApprovers(OFF, [])).toEqual([]);
  expect(missingApprovers(ON, admins(2))).toEqual([]);
  expect(missingApprovers(ON, [...admins(1), managers, { role: 'support', members: 9 }])).toEqual([
    { permission: 'key_policies.write', kinds: ['tier_key_policy', 'tier_idle_policy'], people: 1 },
  ]);
  expect(missingApprovers({ ...OFF, creditsAbove: 5 }, admins(1))).toEqual([
    { permission: 'accounts.write', kinds: ['credits'], people: 1 },
  ]);
});
