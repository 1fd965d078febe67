import { BoundedMap } from '@app/domain/common/bounded-map';

export interface KeyCacheOptions {
  /** Secrets of known keys to keep, at most a million. */
  maxEntries: number;
  /** Digests to keep of which it is known that no key has them. */
  maxUnknownEntries: number;
  /**
   * Age at which a known key is read again, counted from the start of its read: of each, three quarters of this or more,
   * so that keys that were read together are not read again together. It bounds what a change of the database by hand would
   * do; every other change is announced, see KeyChangeListener.
   */
  maxAgeMs: number;
  /** Age at which an unknown digest is looked up again. */
  maxUnknownAgeMs: number;
}

const DEFAULTS: KeyCacheOptions = {
  maxEntries: 100_000,
  maxUnknownEntries: 10_000,
  maxAgeMs: 3_600_000,
  maxUnknownAgeMs: 5_000,
};
const LARGEST = 1_000_000;
/** The share of its age by which a key may be read again earlier than others. */
const JITTER = 1 / 4;

interface Entry<T> {
  readonly key: T;
  readonly readAtMs: number;
  readonly maxAgeMs: number;
}

/** Keys by the digest of their secrets, those that were read longest ago evicted first, invalidated by their ids. */
export class KeyCache<T extends object> {
  /** Counts evictions: a key whose read began at an older generation may be stale and must not be set. */
  generation = 0;

  private known: BoundedMap<string, Entry<T>>;
  /** Unknown digests in a separate cache, so that a flood of invented secrets drives out no customer. */
  private unknown: BoundedMap<string, number>;
  private readonly maxAgeMs: number;
  private readonly maxUnknownAgeMs: number;
  private readonly maxEntries: number;
  private readonly maxUnknownEntries: number;
  /** Id → digests in `known`. Nearly every key has one: a set for each would double the memory. */
  private digestsOf = new Map<string, string | Set<string>>();

  /** @param idsOf the ids of a key under which it is evicted */
  constructor(
    private readonly idsOf: (key: T) => readonly string[],
    options: Partial<KeyCacheOptions> = {},
  ) {
    const { maxEntries, maxUnknownEntries, maxAgeMs, maxUnknownAgeMs } = { ...DEFAULTS, ...options };
    if (maxEntries > LARGEST)
      throw new RangeError(`maxEntries is ${maxEntries}; at most ${LARGEST} are accepted`);
    this.maxAgeMs = maxAgeMs;
    this.maxUnknownAgeMs = maxUnknownAgeMs;
    this.maxEntries = maxEntries;
    this.maxUnknownEntries = maxUnknownEntries;
    this.known = this.newKnown();
    this.unknown = this.newUnknown();
  }

  /** The key; null if it is known that there is none; undefined if nothing fresh is known. */
  get(digest: string, nowMs: number): T | null | undefined {
    const entry = this.known.get(digest);
    if (entry) return isFresh(entry.readAtMs, nowMs, entry.maxAgeMs) ? entry.key : undefined;
    const lookedUpAtMs = this.unknown.get(digest);
    return lookedUpAtMs !== undefined && isFresh(lookedUpAtMs, nowMs, this.maxUnknownAgeMs)
      ? null
      : undefined;
  }

  /** Whether there is a key, fresh or not. */
  has(digest: string): boolean {
    return this.known.has(digest);
  }

  set(digest: string, key: T | null, readAtMs: number): void {
    if (key === null) {
      this.known.delete(digest);
      this.unknown.set(digest, readAtMs);
      return;
    }
    this.unknown.delete(digest);
    this.known.set(digest, { key, readAtMs, maxAgeMs: this.maxAgeMs * (1 - Math.random() * JITTER) });
    for (const id of this.idsOf(key)) this.link(digest, id);
  }

  /** Drops every entry with this id, or what is known of this digest when no key had it. */
  invalidate(id: string): void {
    this.generation++;
    this.unknown.delete(id);
    const digests = this.digestsOf.get(id);
    if (typeof digests === 'string') this.known.delete(digests);
    else for (const digest of digests ?? []) this.known.delete(digest);
  }

  /** Drops everything, at once however much it is. */
  clear(): void {
    this.generation++;
    this.digestsOf = new Map();
    this.known = this.newKnown();
    this.unknown = this.newUnknown();
  }

  private newKnown(): BoundedMap<string, Entry<T>> {
    return new BoundedMap(this.maxEntries, ({ key }, digest) => this.unlink(digest, key));
  }

  private newUnknown(): BoundedMap<string, number> {
    return new BoundedMap(this.maxUnknownEntries);
  }

  private link(digest: string, id: string): void {
    const digests = this.digestsOf.get(id);
    if (digests === undefined) this.digestsOf.set(id, digest);
    else if (typeof digests === 'string') this.digestsOf.set(id, new Set([digests, digest]));
    else digests.add(digest);
  }

  private unlink(digest: string, key: T): void {
    for (const id of this.idsOf(key)) {
      const digests = this.digestsOf.get(id);
      if (typeof digests === 'object') digests.delete(digest);
      if (digests === digest || (typeof digests === 'object' && digests.size === 0))
        this.digestsOf.delete(id);
    }
  }
}

/** An age below zero means that the clock was set back: the age is not known then. */
function isFresh(sinceMs: number, nowMs: number, maxAgeMs: number): boolean {
  const ageMs = nowMs - sinceMs;
  return ageMs >= 0 && ageMs < maxAgeMs;
}
