import * as fc from 'fast-check';
import { compileEntries, parseAllowList, type StoredAllowList } from '../allow-lists/allow-list';
import { parseIpAddress } from '../addresses/ip-address';
import { ARRIVAL, pass } from '@app/gates/gates';
import { isShort } from '../../../test/support/short';
import type { VerifiableKey } from './verifiable-key';
import { freerThan, givable, MAX_PARENT_KEYS, narrowed, type Freer, type KeyGrants } from './key-grants';
import { compilePermissions, PERMISSIONS, type Permission } from './permissions';

const TREES = isShort() ? 1_000 : 10_000;

const NOW_MS = Date.UTC(2030, 0, 1);
const TIMES = [NOW_MS, NOW_MS + 10, NOW_MS + 20, NOW_MS + 30];
const ADDRESSES = Array.from({ length: 16 }, (_, last) => parseIpAddress(`192.0.2.${last}`)!);
const NAMES = ['voices_read', 'models_read', 'voice_generation'] as const satisfies readonly Permission[];

const limit = (max: number) => fc.option(fc.nat({ max }), { freq: 2 });
const time = fc.option(fc.constantFrom(...TIMES.slice(1)), { freq: 2 });
/** Blocks of the sixteen addresses, some of which end. */
const entry = fc
  .tuple(fc.nat({ max: 15 }), fc.integer({ min: 29, max: 32 }), time)
  .map(([last, prefix, endsAtMs]) => ({
    text: `192.0.2.${last - (last % 2 ** (32 - prefix))}/${prefix}`,
    endsAtMs,
  }));
const list = fc
  .array(entry, { minLength: 1, maxLength: 5 })
  .map((entries): StoredAllowList => ({ entries: parseAllowList(entries).entries, corrupt: null }));
const permissions = fc.option(fc.subarray([...NAMES]), { freq: 3 });
const ids = fc.option(fc.subarray(['one', 'two', 'three']), { freq: 3 });
const grants: fc.Arbitrary<KeyGrants> = fc.record({
  permissions,
  creditLimit: limit(100),
  allowList: fc.option(list, { freq: 2 }),
  expiresAtMs: time,
  requestsPerMinute: fc.integer({ min: 1, max: 5 }),
  concurrencyLimit: limit(5),
  models: ids,
  voices: ids,
});

/** By trying each entry: what compiled and compared lists are held against. */
const letsIn = (allowList: StoredAllowList | null, last: number, nowMs: number) =>
  allowList === null ||
  allowList.entries.some(
    ({ cidr, endsAtMs }) =>
      cidr.first.w3 <= ADDRESSES[last]!.w3 &&
      ADDRESSES[last]!.w3 <= cidr.last.w3 &&
      (endsAtMs === null || nowMs < endsAtMs),
  );
const everyMoment = ADDRESSES.flatMap((_, last) => TIMES.map((nowMs) => [last, nowMs] as const));

describe('freerThan', () => {
  const key: KeyGrants = {
    permissions: ['voices_read'],
    creditLimit: 10,
    allowList: { entries: parseAllowList(['192.0.2.0/25', '192.0.2.128/25']).entries, corrupt: null },
    expiresAtMs: NOW_MS,
    requestsPerMinute: 60,
    concurrencyLimit: 3,
    models: ['one', 'two'],
    voices: ['one'],
  };
  const listed = (...entries: string[]) => ({
    allowList: { entries: parseAllowList(entries).entries, corrupt: null },
  });

  it.each<[string, Partial<KeyGrants>, Partial<Freer> | null]>([
    ['the same', {}, null],
    [
      'another permission',
      { permissions: ['models_read'] },
      { input: 'models_read', accepted: 'voices_read' },
    ],
    ['all permissions', { permissions: null }, { input: 'all', accepted: 'voices_read' }],
    ['no permission', { permissions: [] }, null],
    ['no limit', { creditLimit: null }, { input: 'no limit', accepted: '0 to 10' }],
    ['a higher limit', { creditLimit: 11 }, { dimension: 'creditLimit', input: '11' }],
    ['a limit of nothing', { creditLimit: 0 }, null],
    [
      'no list',
      { allowList: null },
      { input: 'no list', accepted: expect.stringContaining('192.0.2.128/25') },
    ],
    ['one more address', listed('192.0.2.1', '192.0.3.1'), { dimension: 'allowList' }],
    ['what two entries hold together', listed('192.0.2.0/24'), null],
    ['a list that cannot be read', { allowList: { entries: [], corrupt: 'broken' } }, null],
    ['no expiry', { expiresAtMs: null }, { input: 'never', accepted: '2030-01-01T00:00:00.000Z or earlier' }],
    ['a later expiry', { expiresAtMs: NOW_MS + 1 }, { dimension: 'expiresAtMs' }],
    ['another model', { models: ['two', 'three'] }, { input: 'three', accepted: 'one, two' }],
    ['every voice', { voices: null }, { dimension: 'voices', input: 'all', accepted: 'one' }],
    ['fewer models', { models: ['two'] }, null],
    ['no concurrency limit', { concurrencyLimit: null }, { input: 'no limit', accepted: 'at most 3' }],
    ['more requests', { requestsPerMinute: 61 }, { input: '61', accepted: 'at most 60' }],
  ])('of a key with a limit in every dimension, for %s', (_, change, expected) => {
    expect({ freer: freerThan(key, { ...key, ...change }) }).toMatchObject({ freer: expected });
  });

  it('takes a list of every permission for fewer than all: those that are added later are missing', () => {
    const [all, every] = [
      { ...key, permissions: null },
      { ...key, permissions: PERMISSIONS },
    ];
    expect(freerThan(every, all)).toMatchObject({ input: 'all' });
    expect(freerThan(all, every)).toBeNull();
  });

  it('compares lists as the addresses that they let in at every time', () => {
    fc.assert(
      fc.property(grants, grants, (parentKey, other) => {
        const requested = { ...parentKey, allowList: other.allowList };
        const more = everyMoment.some(
          ([last, nowMs]) =>
            letsIn(requested.allowList, last, nowMs) && !letsIn(parentKey.allowList, last, nowMs),
        );
        const outsideOfAll = requested.allowList === null && parentKey.allowList !== null;
        expect(freerThan(parentKey, requested) !== null).toBe(more || outsideOfAll);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('narrowed', () => {
  it('is as free as the key and its makers are together, and no freer than any of them', () => {
    fc.assert(
      fc.property(grants, fc.array(grants, { maxLength: 3 }), (own, parentKeys) => {
        const free = narrowed(own, parentKeys);
        const all = [own, ...parentKeys];
        expect(all.filter((each) => freerThan(each, free) !== null)).toEqual([]);
        const differs = everyMoment.filter(
          ([last, nowMs]) =>
            letsIn(free.allowList, last, nowMs) !==
            all.every(({ allowList }) => letsIn(allowList, last, nowMs)),
        );
        expect(differs).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

interface Key {
  grants: KeyGrants;
  parentKeys: Key[];
  ended: boolean;
}

const pick = fc.nat({ max: 30 });
const settings = fc
  .tuple(grants, fc.subarray(['permissions', 'creditLimit', 'allowList', 'concurrencyLimit'] as const))
  .map(([{ permissions, creditLimit, allowList, concurrencyLimit }, names]) => ({
    input: { permissions, creditLimit, allowList, concurrencyLimit },
    names,
  }));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), by: pick, settings }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('change' as const), by: pick, of: pick, settings }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), by: pick, of: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('staff' as const), of: pick, grants }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('detach' as const), of: pick }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const grantsOf = ({ grants, parentKeys }: Key) =>
  narrowed(
    grants,
    parentKeys.map((parentKey) => parentKey.grants),
  );

/** A key as the verifier holds it. */
function verifiable(key: Key): VerifiableKey {
  const { permissions, allowList, expiresAtMs, requestsPerMinute } = grantsOf(key);
  return {
    keyId: 'key',
    accountId: 'account',
    accountStatus: 'active',
    tier: 'creator',
    generationLimits: [{ ownerId: 'account', limit: 5 }],
    requestLimit: { keyId: 'key', requestsPerMinute },
    parentKeyIds: [],
    parentKeyEnded: key.parentKeys.some(({ ended }) => ended) ? 'deleted' : null,
    permissions: compilePermissions(permissions),
    models: null,
    voices: null,
    allowList: allowList && compileEntries(allowList),
    accountList: null,
    disableReason: key.ended ? 'unused' : null,
    expiresAtMs,
    secretNumber: 1,
    issuedAtMs: 0,
    retiresAtMs: null,
    version: 1,
  };
}

/** What the public API does for a key, and what staff do: the rules, without everything around them. */
class Tree {
  readonly keys: Key[];

  constructor(roots: KeyGrants[]) {
    this.keys = roots.map((grants) => ({ grants, parentKeys: [], ended: false }));
  }

  take(now: Step): void {
    const of = 'of' in now ? this.keys[now.of % this.keys.length]! : null;
    const by = 'by' in now ? this.keys[now.by % this.keys.length]! : null;
    if (by && !isInUse(by)) return;
    switch (now.do) {
      case 'create':
        return this.create(by!, { ...grantsOf(by!), ...now.settings.input });
      case 'change':
        return this.change(
          by!,
          of!,
          Object.fromEntries(now.settings.names.map((n) => [n, now.settings.input[n]])),
        );
      case 'end':
        if (freerThan(grantsOf(by!), grantsOf(of!)) === null) of!.ended = true;
        return;
      case 'staff':
        of!.grants = now.grants;
        return;
      case 'detach':
        for (const key of this.keys)
          key.parentKeys = key.parentKeys.slice(0, key.parentKeys.indexOf(of!) + 1 || undefined);
        of!.parentKeys = [];
    }
  }

  private create(by: Key, grants: KeyGrants): void {
    if (freerThan(grantsOf(by), grants) !== null || by.parentKeys.length >= MAX_PARENT_KEYS) return;
    this.keys.push({ grants, parentKeys: [by, ...by.parentKeys], ended: false });
  }

  private change(by: Key, of: Key, change: Partial<KeyGrants>): void {
    const [own, present] = [grantsOf(by), grantsOf(of)];
    if (freerThan(own, present) !== null) return;
    const isOwn = by === of || of.parentKeys.includes(by);
    if (freerThan(givable(own, present, isOwn), { ...present, ...change }) !== null) return;
    of.grants = { ...of.grants, ...change };
    // What a key may do to itself is to become less free.
    if (by === of) expect(freerThan(own, grantsOf(of))).toBeNull();
    // Credits are given from one's own allowance only.
    if (!isOwn && own.creditLimit !== null)
      expect(grantsOf(of).creditLimit).toBeLessThanOrEqual(present.creditLimit!);
  }
}

const exceedsAParentKey = (key: Key) =>
  key.parentKeys.some((parentKey) => freerThan(grantsOf(parentKey), grantsOf(key)) !== null);
const isInUse = ({ ended, parentKeys }: Key) => !ended && parentKeys.every((parentKey) => !parentKey.ended);

it(`in ${TREES} random trees, whatever keys and staff do, no key does what one of its makers could not`, () => {
  const use = fc.record({
    last: fc.nat({ max: 15 }),
    nowMs: fc.constantFrom(...TIMES),
    permission: fc.constantFrom(...NAMES),
  });
  fc.assert(
    fc.property(
      fc.array(grants, { minLength: 1, maxLength: 2 }),
      fc.array(step, { maxLength: 12 }),
      fc.array(use, { minLength: 4, maxLength: 4 }),
      (roots, steps, uses) => {
        const tree = new Tree(roots);
        for (const each of steps) tree.take(each);
        expect(tree.keys.filter(exceedsAParentKey)).toEqual([]);
        for (const { last, ...when } of uses) {
          const does = (key: Key) =>
            pass(ARRIVAL.key, { key: verifiable(key), address: ADDRESSES[last]!, ...when }) === null;
          expect(tree.keys.filter((key) => does(key) && !key.parentKeys.every(does))).toEqual([]);
        }
      },
    ),
    { numRuns: TREES },
  );
});
