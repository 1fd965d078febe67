import * as fc from 'fast-check';
import { compileAllowList } from '@app/domain/allow-lists/allow-list';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import type { DescribedUse, GateWords, KeyUse } from './gate';
import type { GateStores } from './gate-stores';
import { ARRIVAL, pass } from './gates';
import { verifiableKey } from '../../test/support/verifiable-key';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { compilePermissions } from '@app/domain/keys/permissions';

type Use = Omit<KeyUse, 'key'>;

const NOW = 1_800_000_000_000;
const KEY = verifiableKey({
  keyId: 'key-1',
  accountId: 'account-1',
  permissions: compilePermissions(['voices_read']),
  allowList: compileAllowList(['192.0.2.0/24']),
  expiresAtMs: NOW + 1,
});
const USE: Use = { address: parseIpAddress('192.0.2.7'), permission: 'voices_read', nowMs: NOW };

const DISABLED = { disableReason: 'exposed_publicly' };
const SUSPENDED = { accountStatus: 'suspended' } as const;
const OUTSIDE = { address: parseIpAddress('::ffff:203.0.113.9') };
const OTHER_SCOPE = { permission: 'voices_write' } as const;

const refused = (gate: string, reason: string, code: string, params = {}) => ({
  allowed: false,
  gate,
  reason,
  code,
  params,
});

const decide = (key: VerifiableKey, use: Use) => pass(ARRIVAL.key, { key, ...use });

function firstGate(key: Partial<VerifiableKey>, use: Partial<Use>): string | null {
  return decide({ ...KEY, ...key }, { ...USE, ...use })?.gate ?? null;
}

describe('the decision', () => {
  it.each<[string, Partial<VerifiableKey>, Partial<Use>]>([
    ['with everything in order', {}, {}],
    ['without an allow-list, from any address', { allowList: null }, OUTSIDE],
    ['without an allow-list, from an unknown address', { allowList: null }, { address: null }],
    ['with all permissions', { permissions: compilePermissions(null) }, OTHER_SCOPE],
    [
      'for an operation that needs no permission',
      { permissions: compilePermissions([]) },
      { permission: null },
    ],
    ['with an old secret during its overlap', { retiresAtMs: NOW + 1 }, {}],
    ['without an expiry', { expiresAtMs: null }, { nowMs: Number.MAX_SAFE_INTEGER }],
  ])('lets a key pass %s', (_, key, use) => {
    expect(decide({ ...KEY, ...key }, { ...USE, ...use })).toBeNull();
  });

  it.each<[string, Partial<VerifiableKey>, Partial<Use>, object]>([
    ['a disabled key', DISABLED, {}, refused('state', 'disabled', 'invalid_api_key')],
    [
      'a key disabled without words',
      { disableReason: '' },
      {},
      refused('state', 'disabled', 'invalid_api_key'),
    ],
    ['a key at its expiry', {}, { nowMs: NOW + 1 }, refused('state', 'expired', 'invalid_api_key')],
    ['a broken expiry', { expiresAtMs: NaN }, {}, refused('state', 'expired', 'invalid_api_key')],
    [
      'an old secret at the end of its overlap',
      { retiresAtMs: NOW },
      {},
      refused('state', 'secret_retired', 'invalid_api_key'),
    ],
    ['a broken end', { retiresAtMs: NaN }, {}, refused('state', 'secret_retired', 'invalid_api_key')],
    ['a suspended account', SUSPENDED, {}, refused('account', 'account_suspended', 'invalid_api_key')],
    [
      'a closed account',
      { accountStatus: 'closed' },
      {},
      refused('account', 'account_closed', 'invalid_api_key'),
    ],
    [
      'an address outside',
      {},
      OUTSIDE,
      refused('ip', 'address_not_listed', 'ip_not_allowed', { address: '203.0.113.9' }),
    ],
    [
      'an address that the list of the account does not have',
      { accountList: compileAllowList(['10.0.0.0/8']) },
      {},
      refused('ip', 'address_not_listed_by_account', 'ip_not_allowed', { address: '192.0.2.7' }),
    ],
    [
      'an unknown address',
      {},
      { address: null },
      refused('ip', 'address_unknown', 'ip_not_allowed', { address: 'unknown' }),
    ],
    [
      'a corrupt list',
      { allowList: compileAllowList(['junk']) },
      {},
      refused('ip', 'list_corrupt', 'ip_not_allowed', { address: '192.0.2.7' }),
    ],
    [
      'a missing permission',
      {},
      OTHER_SCOPE,
      refused('scope', 'permission_missing', 'insufficient_permissions', { permission: 'voices_write' }),
    ],
  ])('refuses %s', (_, key, use, expected) => {
    expect(decide({ ...KEY, ...key }, { ...USE, ...use })).toEqual(expected);
  });

  it('takes state before account before address before permission', () => {
    const use = { ...OUTSIDE, ...OTHER_SCOPE };
    expect(firstGate({ ...DISABLED, ...SUSPENDED }, use)).toBe('state');
    expect(firstGate(SUSPENDED, use)).toBe('account');
    expect(firstGate({}, use)).toBe('ip');
    expect(firstGate({}, OTHER_SCOPE)).toBe('scope');
  });

  it('gives a caller the same refusal for every reason that is about the key itself', () => {
    const bodies = [DISABLED, { expiresAtMs: 0 }, SUSPENDED].map((key) => {
      const {
        gate: _gate,
        reason: _reason,
        ...body
      } = { ...refused('', '', ''), ...decide({ ...KEY, ...key }, USE) };
      return JSON.stringify(body);
    });
    expect(new Set(bodies).size).toBe(1);
  });
});

describe('an explanation', () => {
  const keys = fc.record({
    disableReason: fc.constantFrom(null, 'self_disabled'),
    expiresAtMs: fc.constantFrom(null, NOW - 1, NOW, NOW + 1),
    retiresAtMs: fc.constantFrom(null, NOW - 1, NOW, NOW + 1),
    accountStatus: fc.constantFrom('active', 'suspended', 'closed'),
    tier: fc.constant('creator' as const),
    allowList: fc.constantFrom(null, KEY.allowList, compileAllowList([])),
    permissions: fc.constantFrom(KEY.permissions, compilePermissions([]), compilePermissions(null)),
  });
  const uses = fc.record({
    address: fc.constantFrom(null, USE.address, OUTSIDE.address),
    permission: fc.constantFrom(null, 'voices_read', 'voices_write'),
  });

  it('has the decision as its first refusal', () => {
    fc.assert(
      fc.property(keys, uses, (key, use) => {
        const [whole, request] = [
          { ...KEY, ...key },
          { ...USE, ...use },
        ];
        const decision = decide(whole, request);
        const first = explain(whole, request).find(({ refusal }) => refusal !== null);
        expect([first?.gate, first?.refusal?.code]).toEqual([decision?.gate, decision?.code]);
      }),
      { numRuns: 1000 },
    );
  });

  it('names every gate in order, also after the one that decided', () => {
    const results = explain({ ...KEY, ...DISABLED }, { ...USE, ...OUTSIDE });
    expect(results.map(({ gate, refusal }) => [gate, refusal?.code])).toEqual([
      ['state', 'invalid_api_key'],
      ['account', undefined],
      ['ip', 'ip_not_allowed'],
      ['scope', undefined],
    ]);
  });
});

/** What the gates of the key say, one by one. */
function explain(key: VerifiableKey, use: Use) {
  const request = { key, ...use, entries: [] } as Partial<DescribedUse> as DescribedUse;
  return ARRIVAL.key.map(({ name: gate, describe }) => ({
    gate,
    ...(describe(request, {} as GateStores) as GateWords),
  }));
}
