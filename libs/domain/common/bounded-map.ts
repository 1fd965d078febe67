/**
 * A map of at most `maxSize` entries; the one that was set longest ago is evicted first. Reading writes nothing, and an entry
 * is found with one look-up in a plain Map.
 */
export class BoundedMap<K, V> {
  private readonly map = new Map<K, V>();
  /** Stands before the oldest entry. A new iterator for each eviction would walk over the places of all that were evicted. */
  private readonly oldestFirst = this.map.keys();

  /** @param onRemoved called with each entry that is evicted, deleted or replaced */
  constructor(
    private readonly maxSize: number,
    private readonly onRemoved?: (value: V, key: K) => void,
  ) {}

  get(key: K): V | undefined {
    return this.map.get(key);
  }

  has(key: K): boolean {
    return this.map.has(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    if (this.map.size >= this.maxSize) this.deleteOldest();
    this.map.set(key, value);
  }

  delete(key: K): void {
    const value = this.map.get(key);
    if (value === undefined) return;
    this.map.delete(key);
    this.onRemoved?.(value, key);
  }

  private deleteOldest(): void {
    const oldest = this.oldestFirst.next();
    if (!oldest.done) this.delete(oldest.value);
  }
}
