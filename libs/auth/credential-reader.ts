import type { ChangeFollower } from './invalidation/change-follower';
import { KeyCache, type KeyCacheOptions } from './key-cache';

interface CredentialReaderOptions<T> extends Partial<KeyCacheOptions> {
  /** What a digest stands for, or null. Rejects when the source is down. */
  read: (digest: string) => Promise<T | null>;
  /** The ids under which a value is evicted. */
  idsOf: (value: T) => readonly string[];
  /** Milliseconds since 1970. */
  nowMs: () => number;
  /** Milliseconds of a monotonic clock, which keeps running while the process is stopped. */
  monotonicMs: () => number;
}

/** Without a lease, a request joins a read that is under way only if it is younger than this. */
const JOINABLE_READ_MS = 500;

interface Read<T> {
  readonly startedAtMs: number;
  readonly value: Promise<T | null>;
}

/**
 * What the digests of secrets stand for: from the cache, else from the source.
 *
 * A hit costs no I/O. Misses of one secret at the same time cause one read. What is cached is used until `invalidate`,
 * until it is too old, and never past `leaseUntil`; a read that began before an `invalidate` is not cached and not shared with
 * requests that came after it.
 */
export class CredentialReader<T extends object> implements ChangeFollower {
  /** Hits of the cache and reads of the source, since the process began. */
  hits = 0;
  misses = 0;
  private readonly cache: KeyCache<T>;
  private readonly source: (digest: string) => Promise<T | null>;
  private readonly nowMs: () => number;
  private readonly monotonicMs: () => number;
  private readonly reads = new Map<string, Read<T>>();
  private leaseUntilMs = Infinity;

  constructor({ read, idsOf, nowMs, monotonicMs, ...cacheOptions }: CredentialReaderOptions<T>) {
    this.source = read;
    this.nowMs = nowMs;
    this.monotonicMs = monotonicMs;
    this.cache = new KeyCache(idsOf, cacheOptions);
  }

  invalidate(id: string): void {
    this.cache.invalidate(id);
    this.reads.clear();
  }

  invalidateAll(): void {
    this.cache.clear();
    this.reads.clear();
  }

  leaseUntil(monotonicMs: number): void {
    this.leaseUntilMs = monotonicMs;
  }

  /** What the digest stands for; null if it is known that it stands for nothing; undefined if it must be read. */
  cached(digest: string): T | null | undefined {
    if (this.monotonicMs() >= this.leaseUntilMs) return undefined;
    const value = this.cache.get(digest, this.nowMs());
    if (value !== undefined) this.hits += 1;
    return value;
  }

  /** Whether the digest stood for something when it was last read, however long ago. */
  hasFound(digest: string): boolean {
    return this.cache.has(digest);
  }

  /**
   * Reads the source.
   *
   * @throws what the source throws
   */
  async read(digest: string): Promise<T | null> {
    const nowMs = this.monotonicMs();
    const running = this.reads.get(digest);
    if (running && (nowMs < this.leaseUntilMs || nowMs - running.startedAtMs < JOINABLE_READ_MS))
      return running.value;
    const read: Read<T> = { startedAtMs: nowMs, value: this.readAndCache(digest) };
    this.reads.set(digest, read);
    try {
      return await read.value;
    } finally {
      if (this.reads.get(digest) === read) this.reads.delete(digest);
    }
  }

  private async readAndCache(digest: string): Promise<T | null> {
    const { generation } = this.cache;
    const startedAtMs = this.nowMs();
    this.misses += 1;
    const value = await this.source(digest);
    if (this.cache.generation === generation) this.cache.set(digest, value, startedAtMs);
    return value;
  }
}
