import { digestSecret, secretKind } from '@app/domain/api-key-secret';
import type { IpAddress } from '@app/domain/ip-address';
import { CREDENTIAL_REFUSALS, decide, type Refusal, type VerifiableKey } from '@app/domain/key-decision';
import type { Permission } from '@app/domain/permissions';
import { KeyCache, type KeyCacheOptions } from './key-cache';

/** Where keys come from when they are not in the cache. */
export interface KeySource {
  /** The key that has this digest among its secrets, or null. Rejects when the source is down. */
  findByDigest(digest: string): Promise<VerifiableKey | null>;
}

/** What a request brings along for the check of its key. */
export interface KeyRequest {
  /** The secret as it was sent; undefined or empty when none was. */
  credential: string | undefined;
  /** See `clientAddress`; null when it cannot be known. */
  address: IpAddress | null;
  /** Null for an operation that every key may call. */
  permission: Permission | null;
}

/** The answer, with the key as soon as the credential names one, so that a refusal can be recorded with it. */
export type Decision =
  { readonly allowed: true; readonly key: VerifiableKey } | (Refusal & { readonly key?: VerifiableKey });

export interface KeyVerifierOptions extends Partial<KeyCacheOptions> {
  /** Milliseconds since 1970. */
  nowMs?: () => number;
  /** Milliseconds of a clock that nobody sets and that runs on while the process is stopped. */
  monotonicMs?: () => number;
}

/** Without trust, a request joins a read that is under way only if it is younger than this. */
const JOINABLE_READ_MS = 500;

interface Read {
  readonly startedAtMs: number;
  readonly key: Promise<VerifiableKey | null>;
}

/**
 * Decides whether the key of a request may do what the request wants: form and checksum, then the cache, then the source.
 *
 * A hit costs no I/O. Misses of one secret at the same time cause one read. What is cached is trusted until `forget`,
 * until it is too old, and never past `trustUntil`; a read that began before a `forget` is not cached and not shared with
 * requests that came after it.
 */
export class KeyVerifier {
  private readonly cache: KeyCache;
  private readonly nowMs: () => number;
  private readonly monotonicMs: () => number;
  private readonly reads = new Map<string, Read>();
  private trustedUntilMs = Infinity;

  constructor(
    private readonly source: KeySource,
    { nowMs = Date.now, monotonicMs = () => performance.now(), ...cacheOptions }: KeyVerifierOptions = {},
  ) {
    this.nowMs = nowMs;
    this.monotonicMs = monotonicMs;
    this.cache = new KeyCache(cacheOptions);
  }

  /**
   * Decides, reading the key if necessary.
   *
   * @throws whatever the source throws; the caller then knows nothing about the key and answers that a part is down
   */
  async verify(request: KeyRequest): Promise<Decision> {
    const digest = this.digestOrRefusal(request.credential);
    if (typeof digest !== 'string') return digest;
    const cached = this.cached(digest);
    return this.decide(cached === undefined ? await this.read(digest) : cached, request);
  }

  /** The decision if it needs no read, else undefined: call `verify` then. */
  verifyCached(request: KeyRequest): Decision | undefined {
    const digest = this.digestOrRefusal(request.credential);
    if (typeof digest !== 'string') return digest;
    const cached = this.cached(digest);
    return cached === undefined ? undefined : this.decide(cached, request);
  }

  /** Drops what is known of a key, under all of its secrets. To be called after its change was committed. */
  forget(keyId: string): void {
    this.cache.forget(keyId);
    this.reads.clear();
  }

  /** Drops what is known of all keys of an account. To be called after its change was committed. */
  forgetAccount(accountId: string): void {
    this.cache.forget(accountId);
    this.reads.clear();
  }

  /** Drops everything that is known: for a process that may have missed changes and hears of them again from now on. */
  forgetEverything(): void {
    this.cache.clear();
    this.reads.clear();
  }

  /**
   * Until when what is cached may be used; afterwards every request reads its key. It is compared with the clock at each
   * request: a process that was stopped for a while cannot use its cache in the moment in which it runs again.
   *
   * @param monotonicMs on the verifier's monotonic clock; it has no limit before the first call
   */
  trustUntil(monotonicMs: number): void {
    this.trustedUntilMs = monotonicMs;
  }

  private digestOrRefusal(credential: string | undefined): string | Refusal {
    if (!credential) return CREDENTIAL_REFUSALS.missing;
    return secretKind(credential) === 'api_key' ? digestSecret(credential) : CREDENTIAL_REFUSALS.malformed;
  }

  private decide(key: VerifiableKey | null, { address, permission }: KeyRequest): Decision {
    if (key === null) return CREDENTIAL_REFUSALS.unknown;
    const decision = decide(key, { address, permission, nowMs: this.nowMs() });
    return decision.allowed ? { allowed: true, key } : { ...decision, key };
  }

  private cached(digest: string): VerifiableKey | null | undefined {
    return this.monotonicMs() < this.trustedUntilMs ? this.cache.get(digest, this.nowMs()) : undefined;
  }

  private async read(digest: string): Promise<VerifiableKey | null> {
    const nowMs = this.monotonicMs();
    const running = this.reads.get(digest);
    if (running && (nowMs < this.trustedUntilMs || nowMs - running.startedAtMs < JOINABLE_READ_MS))
      return running.key;
    const read: Read = { startedAtMs: nowMs, key: this.readAndCache(digest) };
    this.reads.set(digest, read);
    try {
      return await read.key;
    } finally {
      if (this.reads.get(digest) === read) this.reads.delete(digest);
    }
  }

  private async readAndCache(digest: string): Promise<VerifiableKey | null> {
    const { generation } = this.cache;
    const startedAtMs = this.nowMs();
    const key = await this.source.findByDigest(digest);
    if (this.cache.generation === generation) this.cache.set(digest, key, startedAtMs);
    return key;
  }
}
