import { BoundedMap } from './bounded-map';

describe('BoundedMap', () => {
  const removed: string[] = [];
  const mapOf = (...keys: string[]) => {
    removed.length = 0;
    const map = new BoundedMap<string, number>(2, (value, key) => removed.push(`${key}${value}`));
    keys.forEach((key, index) => map.set(key, index));
    return map;
  };

  it('evicts what was set longest ago, however often it was read', () => {
    const map = mapOf('a', 'b');
    map.get('a');
    map.set('c', 2);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, 1, 2]);
    expect(removed).toEqual(['a0']);
  });

  it('keeps what was set again', () => {
    const map = mapOf('a', 'b', 'a', 'c');
    expect([map.get('a'), map.has('b'), map.get('c')]).toEqual([2, false, 3]);
    expect(removed).toEqual(['a0', 'b1']);
  });

  it('holds the newest, however many were evicted', () => {
    const map = mapOf();
    for (let i = 0; i < 10_000; i++) map.set(`key-${i}`, i);
    expect(removed).toHaveLength(9_998);
    expect([map.get('key-9997'), map.get('key-9998'), map.get('key-9999')]).toEqual([
      undefined,
      9_998,
      9_999,
    ]);
  });

  it('says what was deleted, once', () => {
    const map = mapOf('a');
    map.delete('a');
    map.delete('a');
    expect(map.has('a')).toBe(false);
    expect(removed).toEqual(['a0']);
  });
});
