import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { compileAllowList } from '@app/domain/allow-lists/allow-list';
import { digestSecret, generateSecret } from '@app/domain/keys/api-key-secret';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { compilePermissions } from '@app/domain/keys/permissions';
import { verifiableKey } from '../../test/support/verifiable-key';
import { KeyVerifier, type KeyRequest, type KeySource } from './key-verifier';

/** Keys in memory. Counts its reads; `hold` makes reads resolve only when released, with what they saw when they began. */
class MemoryKeys implements KeySource {
  readonly rows = new Map<string, VerifiableKey>();
  readonly reads: string[] = [];
  failure: Error | null = null;
  private gate: Promise<unknown> = Promise.resolve();

  async findByDigest(digest: string): Promise<VerifiableKey | null> {
    this.reads.push(digest);
    const seen = this.rows.get(digest) ?? null;
    const { failure } = this;
    await this.gate;
    if (failure) throw failure;
    return seen;
  }

  hold(): () => void {
    const held = new EventEmitter();
    this.gate = once(held, 'release');
    return () => {
      this.gate = Promise.resolve();
      held.emit('release');
    };
  }
}

const ADDRESS = parseIpAddress('192.0.2.7');

function setUp(options: ConstructorParameters<typeof KeyVerifier>[1] = {}) {
  const keys = new MemoryKeys();
  const clock = { nowMs: 1_800_000_000_000, monotonicMs: 0 };
  const verifier = new KeyVerifier(keys, {
    nowMs: () => clock.nowMs,
    monotonicMs: () => clock.monotonicMs,
    ...options,
  });
  let nextId = 0;
  const addKey = (overrides: Partial<VerifiableKey> = {}) => {
    const secret = generateSecret('api_key', randomBytes);
    const key = verifiableKey({ keyId: `key-${nextId++}`, accountId: 'account-1', ...overrides });
    keys.rows.set(digestSecret(secret), key);
    return { secret, key };
  };
  const change = (secret: string, overrides: Partial<VerifiableKey>) => {
    const row = keys.rows.get(digestSecret(secret));
    if (row) keys.rows.set(digestSecret(secret), { ...row, ...overrides });
  };
  return { keys, clock, verifier, addKey, change };
}

function request(credential: string | undefined, overrides: Partial<KeyRequest> = {}): KeyRequest {
  return { credential, address: ADDRESS, permission: 'voices_read', ...overrides };
}

describe('without a read', () => {
  const valid = generateSecret('api_key', randomBytes);
  it.each([
    ['no credential', undefined, 'missing', 'missing_api_key'],
    ['an empty credential', '', 'missing', 'missing_api_key'],
    ['a mistyped secret', `${valid.slice(0, -1)}!`, 'malformed', 'invalid_api_key'],
    ['two header values', `${valid}, ${valid}`, 'malformed', 'invalid_api_key'],
    ['a single-use token', generateSecret('single_use_token', randomBytes), 'malformed', 'invalid_api_key'],
  ])('refuses %s', async (_, credential, reason, code) => {
    const { keys, verifier } = setUp();
    const expected = { allowed: false, gate: 'credential', reason, code };
    expect(verifier.verifyCached(request(credential))).toMatchObject(expected);
    expect(await verifier.verify(request(credential))).toMatchObject(expected);
    expect(keys.reads).toEqual([]);
  });

  it('decides on a key that was read before', async () => {
    const { keys, verifier, addKey } = setUp();
    const { secret, key } = addKey();
    expect(verifier.verifyCached(request(secret))).toBeUndefined();
    expect(await verifier.verify(request(secret))).toEqual({ allowed: true, key });
    expect(verifier.verifyCached(request(secret))).toEqual({ allowed: true, key });
    expect(await verifier.verify(request(secret))).toEqual({ allowed: true, key });
    expect(keys.reads).toHaveLength(1);
  });

  it('decides each request for itself', async () => {
    const { verifier, addKey, clock } = setUp();
    const { secret, key } = addKey({
      allowList: compileAllowList(['192.0.2.0/24']),
      permissions: compilePermissions(['voices_read']),
      expiresAtMs: clock.nowMs + 1000,
    });
    await verifier.verify(request(secret));
    const gateOf = (overrides: Partial<KeyRequest>) => {
      const decision = verifier.verifyCached(request(secret, overrides));
      return decision?.allowed === false ? [decision.gate, decision.key] : decision?.allowed;
    };
    expect(gateOf({})).toBe(true);
    expect(gateOf({ address: parseIpAddress('203.0.113.9') })).toEqual(['ip', key]);
    expect(gateOf({ address: null })).toEqual(['ip', key]);
    expect(gateOf({ permission: 'voices_write' })).toEqual(['scope', key]);
    clock.nowMs += 1000;
    expect(gateOf({})).toEqual(['state', key]);
  });
});

describe('a secret that no key has', () => {
  it('is refused, and looked up again only after five seconds', async () => {
    const { keys, verifier, clock } = setUp();
    const secret = generateSecret('api_key', randomBytes);
    expect(await verifier.verify(request(secret))).toMatchObject({ gate: 'credential', reason: 'unknown' });
    clock.nowMs += 4_999;
    expect(verifier.verifyCached(request(secret))).toMatchObject({ reason: 'unknown' });
    clock.nowMs += 1;
    expect(verifier.verifyCached(request(secret))).toBeUndefined();
    await verifier.verify(request(secret));
    expect(keys.reads).toHaveLength(2);
  });

  it('drives no known key out of the cache, in any number', async () => {
    const { verifier, addKey } = setUp({ maxEntries: 10, maxUnknownEntries: 10 });
    const { secret } = addKey();
    await verifier.verify(request(secret));
    for (let i = 0; i < 100; i++) await verifier.verify(request(generateSecret('api_key', randomBytes)));
    expect(verifier.verifyCached(request(secret))).toMatchObject({ allowed: true });
  });
});

describe('reads', () => {
  it('are shared by requests that miss at the same time', async () => {
    const { keys, verifier, addKey } = setUp();
    const { secret } = addKey();
    const release = keys.hold();
    const decisions = Array.from({ length: 100 }, () => verifier.verify(request(secret)));
    release();
    expect((await Promise.all(decisions)).every(({ allowed }) => allowed)).toBe(true);
    expect(keys.reads).toHaveLength(1);
  });

  it('are not shared by different secrets', async () => {
    const { keys, verifier, addKey } = setUp();
    await Promise.all([verifier.verify(request(addKey().secret)), verifier.verify(request(addKey().secret))]);
    expect(new Set(keys.reads).size).toBe(2);
  });

  it('that fail reject every waiting request, and are tried again by the next', async () => {
    const { keys, verifier, addKey } = setUp();
    const { secret } = addKey();
    keys.failure = new Error('down');
    const both = await Promise.allSettled([
      verifier.verify(request(secret)),
      verifier.verify(request(secret)),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    keys.failure = null;
    expect(await verifier.verify(request(secret))).toMatchObject({ allowed: true });
    expect(keys.reads).toHaveLength(2);
  });

  it('are repeated when the key is an hour old at the latest, counted from the start of its read', async () => {
    const { keys, verifier, addKey, clock, change } = setUp();
    const { secret } = addKey();
    const release = keys.hold();
    const first = verifier.verify(request(secret));
    clock.nowMs += 10_000;
    release();
    await first;
    change(secret, { disableReason: 'self_disabled' });
    clock.nowMs += 44 * 60_000;
    expect(await verifier.verify(request(secret))).toMatchObject({ allowed: true });
    clock.nowMs += 16 * 60_000 - 10_000;
    expect(await verifier.verify(request(secret))).toMatchObject({ reason: 'disabled' });
  });

  it('are repeated when the clock was set back', async () => {
    const { verifier, addKey, clock } = setUp();
    const { secret } = addKey();
    await verifier.verify(request(secret));
    clock.nowMs -= 3_600_000;
    expect(verifier.verifyCached(request(secret))).toBeUndefined();
  });
});

describe('a change that reaches the verifier', () => {
  it('is seen by the next request, under every secret of the key', async () => {
    const { keys, verifier, addKey, change } = setUp();
    const { secret, key } = addKey();
    const { secret: retiring } = addKey(key);
    const { secret: other } = addKey();
    for (const each of [secret, retiring, other]) await verifier.verify(request(each));
    for (const each of [secret, retiring]) change(each, { disableReason: 'exposed_publicly' });
    verifier.invalidate(key.keyId);
    for (const each of [secret, retiring]) {
      expect(verifier.verifyCached(request(each))).toBeUndefined();
      expect(await verifier.verify(request(each))).toMatchObject({ reason: 'disabled' });
    }
    expect(verifier.verifyCached(request(other))).toMatchObject({ allowed: true });
    expect(keys.reads).toHaveLength(5);
  });

  it('of an account is seen by the next request of each of its keys', async () => {
    const { verifier, addKey, change } = setUp();
    const mine = [addKey().secret, addKey().secret];
    const { secret: other } = addKey({ accountId: 'account-2' });
    for (const each of [...mine, other]) await verifier.verify(request(each));
    for (const each of mine) change(each, { accountStatus: 'suspended' });
    verifier.invalidate('account-1');
    for (const each of mine) expect(await verifier.verify(request(each))).toMatchObject({ gate: 'account' });
    expect(verifier.verifyCached(request(other))).toMatchObject({ allowed: true });
  });

  it('is not undone by a read that began before it', async () => {
    const { keys, verifier, addKey, change } = setUp();
    const { secret, key } = addKey();
    const release = keys.hold();
    const early = verifier.verify(request(secret));
    change(secret, { disableReason: 'self_disabled' });
    verifier.invalidate(key.keyId);
    release();
    await early;
    expect(verifier.verifyCached(request(secret))).toBeUndefined();
    expect(await verifier.verify(request(secret))).toMatchObject({ reason: 'disabled' });
  });

  it('is seen by a request that comes while an older read is still running', async () => {
    const { keys, verifier, addKey, change } = setUp();
    const { secret, key } = addKey();
    const release = keys.hold();
    const early = verifier.verify(request(secret));
    change(secret, { disableReason: 'self_disabled' });
    verifier.invalidate(key.keyId);
    const late = verifier.verify(request(secret));
    release();
    expect(await early).toMatchObject({ allowed: true });
    expect(await late).toMatchObject({ reason: 'disabled' });
    expect(verifier.verifyCached(request(secret))).toMatchObject({ reason: 'disabled' });
  });

  it('of an unknown key changes nothing', () => {
    expect(() => setUp().verifier.invalidate('nobody')).not.toThrow();
  });
});

describe('a process that may have missed changes', () => {
  it('reads the key for every request from the moment its lease has ended, and uses its cache again afterwards', async () => {
    const { keys, verifier, addKey, change, clock } = setUp();
    const { secret } = addKey();
    verifier.leaseUntil(2_500);
    await verifier.verify(request(secret));
    clock.monotonicMs = 2_499;
    expect(verifier.verifyCached(request(secret))).toMatchObject({ allowed: true });
    change(secret, { disableReason: 'self_disabled' });
    clock.monotonicMs = 2_500;
    expect(verifier.verifyCached(request(secret))).toBeUndefined();
    for (const reads of [2, 3]) {
      expect(await verifier.verify(request(secret))).toMatchObject({ reason: 'disabled' });
      expect(keys.reads).toHaveLength(reads);
    }
    verifier.leaseUntil(5_000);
    expect(verifier.verifyCached(request(secret))).toMatchObject({ reason: 'disabled' });
  });

  it('reads again what it does not know', async () => {
    const { keys, verifier, clock } = setUp();
    const secret = generateSecret('api_key', randomBytes);
    verifier.leaseUntil(2_500);
    await verifier.verify(request(secret));
    clock.monotonicMs = 2_500;
    await verifier.verify(request(secret));
    expect(keys.reads).toHaveLength(2);
  });

  it('shares no read that has been running for half a second', async () => {
    const { keys, verifier, addKey, change, clock } = setUp();
    const { secret } = addKey();
    verifier.leaseUntil(0);
    const release = keys.hold();
    const early = verifier.verify(request(secret));
    change(secret, { disableReason: 'self_disabled' });
    clock.monotonicMs = 499;
    const joined = verifier.verify(request(secret));
    clock.monotonicMs = 500;
    const late = verifier.verify(request(secret));
    expect(keys.reads).toHaveLength(2);
    release();
    expect(await early).toMatchObject({ allowed: true });
    expect(await joined).toMatchObject({ allowed: true });
    expect(await late).toMatchObject({ reason: 'disabled' });
  });

  it('uses nothing cached earlier when it listens again', async () => {
    const { verifier, addKey, change } = setUp();
    const known = [addKey(), addKey()].map(({ secret }) => secret);
    for (const each of known) await verifier.verify(request(each));
    for (const each of known) change(each, { disableReason: 'self_disabled' });
    verifier.invalidateAll();
    for (const each of known) {
      expect(await verifier.verify(request(each))).toMatchObject({ reason: 'disabled' });
    }
  });

  it('keeps nothing of a read that was running when it listened again', async () => {
    const { keys, verifier, addKey, change } = setUp();
    const { secret } = addKey();
    const release = keys.hold();
    const early = verifier.verify(request(secret));
    change(secret, { disableReason: 'self_disabled' });
    verifier.invalidateAll();
    release();
    await early;
    expect(await verifier.verify(request(secret))).toMatchObject({ reason: 'disabled' });
  });
});

describe('the cache', () => {
  it('keeps the keys that were read last, and can still invalidate them', async () => {
    const { verifier, addKey, clock } = setUp({ maxEntries: 2, maxAgeMs: 60_000 });
    const [a, b, c] = [addKey(), addKey(), addKey()];
    await verifier.verify(request(a.secret));
    clock.nowMs += 30_000;
    await verifier.verify(request(b.secret));
    clock.nowMs += 30_000;
    await verifier.verify(request(a.secret));
    await verifier.verify(request(c.secret));
    const cached = () => [a, b, c].map(({ secret }) => verifier.verifyCached(request(secret)) !== undefined);
    expect(cached()).toEqual([true, false, true]);
    verifier.invalidate(a.key.keyId);
    expect(cached()).toEqual([false, false, true]);
    verifier.invalidate('account-1');
    expect(cached()).toEqual([false, false, false]);
  });

  it('invalidates a key that was read twice', async () => {
    const { verifier, addKey, clock } = setUp();
    const { secret, key } = addKey();
    await verifier.verify(request(secret));
    clock.nowMs += 3_600_000;
    await verifier.verify(request(secret));
    verifier.invalidate(key.keyId);
    expect(verifier.verifyCached(request(secret))).toBeUndefined();
  });

  it('reads an unchanged key again after an hour at the latest, and not all keys at the same time', async () => {
    const { keys, verifier, addKey, clock } = setUp();
    const secrets = Array.from({ length: 100 }, () => addKey().secret);
    const verifyAll = async () => {
      keys.reads.length = 0;
      for (const secret of secrets) await verifier.verify(request(secret));
      return keys.reads.length;
    };
    expect(await verifyAll()).toBe(100);
    clock.nowMs += 44 * 60_000;
    expect(await verifyAll()).toBe(0);
    clock.nowMs += 8 * 60_000;
    const early = await verifyAll();
    expect(early).toBeGreaterThan(0);
    expect(early).toBeLessThan(100);
    clock.nowMs += 8 * 60_000;
    expect(await verifyAll()).toBe(100 - early);
  });

  it('keeps digests, never secrets', async () => {
    const { keys, verifier, addKey } = setUp();
    const { secret } = addKey();
    await verifier.verify(request(secret));
    expect(keys.reads).toEqual([createHash('sha256').update(secret).digest('hex')]);
  });

  it('is bounded by a million entries', () => {
    expect(() => setUp({ maxEntries: 1_000_001 })).toThrow(RangeError);
  });
});
