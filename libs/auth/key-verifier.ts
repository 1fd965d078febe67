import { Injectable } from '@nestjs/common';
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
}

/**
 * Decides whether the key of a request may do what the request wants: form and checksum, then the cache, then the source.
 *
 * A hit costs no I/O. Misses of one secret at the same time cause one read. What is cached is trusted until `forget` or
 * until it is too old; a read that began before a `forget` is not cached and not shared with requests that came after it.
 */
@Injectable()
export class KeyVerifier {
  private readonly cache: KeyCache;
  private readonly nowMs: () => number;
  private readonly reads = new Map<string, Promise<VerifiableKey | null>>();

  constructor(
    private readonly source: KeySource,
    { nowMs = Date.now, ...cacheOptions }: KeyVerifierOptions = {},
  ) {
    this.nowMs = nowMs;
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
    const cached = this.cache.get(digest, this.nowMs());
    return this.decide(cached === undefined ? await this.read(digest) : cached, request);
  }

  /** The decision if it needs no read, else undefined: call `verify` then. */
  verifyCached(request: KeyRequest): Decision | undefined {
    const digest = this.digestOrRefusal(request.credential);
    if (typeof digest !== 'string') return digest;
    const cached = this.cache.get(digest, this.nowMs());
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

  /**
   * Changes how old a cached key may be, and drops all that is cached. 0 makes every request read its key: for a process
   * that may have missed changes, until it hears them again.
   */
  trustFor(maxAgeMs: number): void {
    this.cache.clear();
    this.cache.maxAgeMs = maxAgeMs;
    this.reads.clear();
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

  private read(digest: string): Promise<VerifiableKey | null> {
    const running = this.reads.get(digest);
    if (running) return running;
    const read: Promise<VerifiableKey | null> = this.readAndCache(digest).finally(() => {
      if (this.reads.get(digest) === read) this.reads.delete(digest);
    });
    this.reads.set(digest, read);
    return read;
  }

  private async readAndCache(digest: string): Promise<VerifiableKey | null> {
    const { generation } = this.cache;
    const startedAtMs = this.nowMs();
    const key = await this.source.findByDigest(digest);
    if (this.cache.generation === generation) this.cache.set(digest, key, startedAtMs);
    return key;
  }
}
