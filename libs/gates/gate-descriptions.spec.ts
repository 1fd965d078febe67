import { compileAllowList } from '@app/domain/allow-lists/allow-list';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import type { DescribedUse, GateWords, KeyUse, NamedEntry } from './gate';
import type { GateStores } from './gate-stores';
import { ARRIVAL } from './gates';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { compilePermissions } from '@app/domain/keys/permissions';

const NOW_MS = Date.UTC(2030, 0, 1);

const KEY: VerifiableKey = {
  keyId: 'key',
  accountId: 'account',
  accountStatus: 'active',
  tier: 'enterprise',
  generationLimits: [{ ownerId: 'account', limit: 5 }],
  requestLimit: { keyId: 'key', requestsPerMinute: 600 },
  parentKeyIds: [],
  parentKeyEnded: null,
  permissions: compilePermissions(['voices_read']),
  models: null,
  voices: null,
  allowList: null,
  accountList: null,
  disableReason: null,
  expiresAtMs: null,
  secretNumber: 2,
  issuedAtMs: 1_700_000_000_000,
  retiresAtMs: null,
  version: 1,
};

const USE: Omit<KeyUse, 'key'> = {
  address: parseIpAddress('203.0.113.7'),
  permission: 'voices_read',
  nowMs: NOW_MS,
};

function wordsOf(
  gate: string,
  key: Partial<VerifiableKey>,
  use: Partial<KeyUse> = {},
  entries: NamedEntry[] | null = null,
  accountEntries: NamedEntry[] | null = null,
) {
  const described = [...ARRIVAL.credential, ...ARRIVAL.key].find(({ name }) => name === gate)!;
  const request: Partial<DescribedUse> = { ...USE, ...use, key: { ...KEY, ...key }, entries, accountEntries };
  const { rule, refusal } = described.describe(request as DescribedUse, {} as GateStores) as GateWords;
  return { rule, change: refusal?.change ?? null };
}

const listed = (cidr: string, endsAt: Date | null = null): Parameters<typeof wordsOf> => [
  'ip',
  { allowList: compileAllowList([cidr], endsAt ? { [cidr]: endsAt.getTime() } : {}) },
  {},
  [{ cidr, note: 'office', endsAt }],
];

describe('a gate that lets pass', () => {
  it.each<[Parameters<typeof wordsOf>, string]>([
    [['credential', {}], 'Secret 2 of the key is presented.'],
    [['state', {}], 'The key is enabled and never expires.'],
    [['state', { expiresAtMs: NOW_MS + 1_000 }], 'The key is enabled until 2030-01-01T00:00:01.000Z.'],
    [['state', { retiresAtMs: NOW_MS + 1_000 }], 'this secret stops working at 2030-01-01T00:00:01.000Z.'],
    [['account', {}], 'The account is active.'],
    [['ip', {}], 'The key has no allow-list: every address may use it.'],
    [listed('203.0.113.0/24'), '203.0.113.7 is let in by the entry 203.0.113.0/24 (office).'],
    [listed('203.0.113.0/24', new Date(NOW_MS + 1)), '(office) until 2030-01-01T00:00:00.001Z.'],
    [
      ['ip', {}, {}, null, [{ cidr: '203.0.113.0/24', note: null, endsAt: null }]],
      "203.0.113.7 is let in by the account's entry 203.0.113.0/24.",
    ],
    [['scope', {}], 'The operation needs the permission voices_read, which the key has.'],
    [['scope', {}, { permission: null }], 'The operation needs no permission.'],
  ])('%j', (use, rule) => {
    expect(wordsOf(...use)).toEqual({ rule: expect.stringContaining(rule), change: null });
  });
});

describe('a gate that refuses', () => {
  it.each<[Parameters<typeof wordsOf>, string, string]>([
    [['state', { disableReason: 'unused' }], 'The key is disabled: unused.', 'Enable the key.'],
    [['state', { expiresAtMs: NOW_MS }], 'The key expired at 2030-01-01T00:00:00.000Z.', 'later expiry'],
    [['state', { retiresAtMs: NOW_MS }], 'this secret stopped working', 'newest secret'],
    [['account', { accountStatus: 'suspended' }], 'The account is suspended.', 'Activate the account.'],
    [['account', { accountStatus: 'closed' }], 'The account is closed.', 'stays closed'],
    [listed('10.0.0.0/8'), '203.0.113.7 is not on the allow-list (1 entry).', 'Add the address'],
    [listed('203.0.113.0/24', new Date(NOW_MS)), 'which has ended', 'Add the address'],
    [
      [
        'ip',
        { accountList: compileAllowList(['10.0.0.0/8']) },
        {},
        null,
        [{ cidr: '10.0.0.0/8', note: null, endsAt: null }],
      ],
      'is not on the allow-list of the account (1 entry).',
      'both lists must let it in',
    ],
    [['ip', { allowList: compileAllowList(['junk']) }, {}, []], '(0 entries)', 'Save the allow-list again'],
    [
      ['ip', { allowList: compileAllowList(['10.0.0.0/8']) }, { address: null }, []],
      'is unknown',
      'X-Forwarded-For',
    ],
    [
      ['scope', {}, { permission: 'voices_write' }],
      'which the key does not have',
      'Give the key the permission.',
    ],
  ])('%j', (use, rule, change) => {
    expect(wordsOf(...use)).toEqual({
      rule: expect.stringContaining(rule),
      change: expect.stringContaining(change),
    });
  });
});
