import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { verifiableKey } from '../../test/support/verifiable-key';
import { KeyCache } from './key-cache';

const keyOf = (keyId: string, accountId: string) => verifiableKey({ keyId, accountId });
const idsOf = ({ keyId, accountId }: VerifiableKey) => [keyId, accountId];

/** How many digests the index by key and account holds. */
function indexed(cache: KeyCache<VerifiableKey>): number {
  const entries = [...cache['digestsOf'].values()];
  return entries.reduce((sum, digests) => sum + (typeof digests === 'string' ? 1 : digests.size), 0);
}

describe('the index of the cache', () => {
  it('grows with what is cached, not with what was', () => {
    const cache = new KeyCache(idsOf, { maxEntries: 10 });
    for (let i = 0; i < 1000; i++) cache.set(`digest-${i}`, keyOf(`key-${i >> 1}`, `account-${i % 3}`), 0);
    expect(indexed(cache)).toBe(2 * 10);
  });

  it('holds a key once, however often it is read', () => {
    const cache = new KeyCache(idsOf);
    for (let i = 0; i < 10; i++) cache.set('digest', keyOf('key', 'account'), i);
    expect(indexed(cache)).toBe(2);
  });

  it.each<[string, (cache: KeyCache<VerifiableKey>) => void]>([
    ['its account is invalidated', (cache) => cache.invalidate('account')],
    [
      'each of its keys is invalidated',
      (cache) => ['key-1', 'key-2'].forEach((keyId) => cache.invalidate(keyId)),
    ],
    ['its secrets are found to be unknown', (cache) => ['a', 'b', 'c'].forEach((d) => cache.set(d, null, 1))],
    ['everything is dropped', (cache) => cache.clear()],
  ])('is empty when %s', (_, drop) => {
    const cache = new KeyCache(idsOf);
    cache.set('a', keyOf('key-1', 'account'), 0);
    cache.set('b', keyOf('key-1', 'account'), 0);
    cache.set('c', keyOf('key-2', 'account'), 0);
    drop(cache);
    expect(cache['digestsOf'].size).toBe(0);
  });
});
