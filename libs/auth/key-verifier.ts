import { canBeApiKey, digestSecret } from '@app/domain/keys/api-key-secret';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import { ARRIVAL, pass } from '@app/gates/gates';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import type { CredentialUse, KeyUse } from '@app/gates/gate';
import type { Permission } from '@app/domain/keys/permissions';
import { CredentialReader } from './credential-reader';
import type { ChangeFollower } from './invalidation/change-follower';
import type { KeyCacheOptions } from './key-cache';

/** Where keys come from when they are not in the cache. */
export interface KeySource {
  /** The key that has this digest among its secrets, or null. Rejects when the source is down. */
  findByDigest(digest: string): Promise<VerifiableKey | null>;
}

/** What a request brings along for the check of its key. */
export interface KeyRequest {
  /** The secret as it was sent; undefined or empty when none was. */
  credential: string | undefined;
  /** Instead of it the digest of the secret, which only services of the platform may send. */
  digest?: string | null;
  /** See `clientAddress`; null when it cannot be known. */
  address: IpAddress | null;
  /** Null for an operation that every key may call. */
  permission: Permission | null;
}

type KeyRefusal = NonNullable<ReturnType<typeof noKey> | ReturnType<typeof decideKey>>;

/** The response, with the key as soon as the credential names one, so that a refusal can be recorded with it. */
export type Decision =
  | { readonly allowed: true; readonly key: VerifiableKey }
  | (KeyRefusal & { readonly key?: VerifiableKey });

interface KeyVerifierOptions extends Partial<KeyCacheOptions> {
  /** Milliseconds since 1970. */
  nowMs?: () => number;
  /** Milliseconds of a monotonic clock, which keeps running while the process is stopped. */
  monotonicMs?: () => number;
}

/**
 * Decides whether the key of a request may do what the request wants: form and checksum, then the cache, then the source,
 * see CredentialReader. Everything that is known of a key is invalidated under its id, its parent keys'
 * and its account's.
 */
export class KeyVerifier implements ChangeFollower {
  /** Decisions since the process began: allowed, or the gate that refused. */
  readonly outcomes = Object.fromEntries(
    ['allowed', ...[...ARRIVAL.credential, ...ARRIVAL.key].map(({ name }) => name)].map((name) => [name, 0]),
  ) as Record<'allowed' | KeyRefusal['gate'], number>;
  readonly keys: CredentialReader<VerifiableKey>;
  private readonly nowMs: () => number;

  constructor(
    source: KeySource,
    { nowMs = Date.now, monotonicMs = () => performance.now(), ...cacheOptions }: KeyVerifierOptions = {},
  ) {
    this.nowMs = nowMs;
    this.keys = new CredentialReader({
      ...cacheOptions,
      read: (digest) => source.findByDigest(digest),
      idsOf: ({ keyId, accountId, parentKeyIds }) => [keyId, accountId, ...parentKeyIds],
      nowMs,
      monotonicMs,
    });
  }

  /**
   * Decides, reading the key if necessary.
   *
   * @throws what the source throws; the caller then knows nothing about the key and responds that a part is down
   */
  async verify(request: KeyRequest): Promise<Decision> {
    return this.count(await this.examine(request));
  }

  /** The decision if it needs no read, else undefined: call `verify` then. */
  verifyCached(request: KeyRequest): Decision | undefined {
    const digest = digestOrRefusal(request);
    if (typeof digest !== 'string') return this.count(digest);
    const cached = this.keys.cached(digest);
    return cached === undefined ? undefined : this.count(this.decide(cached, request));
  }

  /** Decides once more about a request that was allowed. It is counted again only when it is refused now. */
  async verifyAgain(request: KeyRequest): Promise<Decision> {
    const decision = await this.examine(request);
    return decision.allowed ? decision : this.count(decision);
  }

  /** Whether this is the secret of a key that was read before and has not changed since, as far as this process knows. */
  hasFound(credential: string): boolean {
    return this.keys.hasFound(digestSecret(credential));
  }

  invalidate(keyOrAccountId: string): void {
    this.keys.invalidate(keyOrAccountId);
  }

  invalidateAll(): void {
    this.keys.invalidateAll();
  }

  leaseUntil(monotonicMs: number): void {
    this.keys.leaseUntil(monotonicMs);
  }

  private async examine(request: KeyRequest): Promise<Decision> {
    const digest = digestOrRefusal(request);
    if (typeof digest !== 'string') return digest;
    const cached = this.keys.cached(digest);
    return this.decide(cached === undefined ? await this.keys.read(digest) : cached, request);
  }

  private decide(key: VerifiableKey | null, { address, permission }: KeyRequest): Decision {
    if (key === null) return noKey('unknown');
    const refusal = decideKey({ key, address, permission, nowMs: this.nowMs() });
    return refusal ? { ...refusal, key } : { allowed: true, key };
  }

  private count(decision: Decision): Decision {
    this.outcomes[decision.allowed ? 'allowed' : decision.gate] += 1;
    return decision;
  }
}

/** The refusal of a credential that names no key. */
export function noKey(why: NonNullable<CredentialUse['credential']>) {
  return pass(ARRIVAL.credential, { credential: why })!;
}

function decideKey(use: KeyUse) {
  return pass(ARRIVAL.key, use);
}

function digestOrRefusal({ credential, digest }: KeyRequest): string | KeyRefusal {
  if (digest) return digest;
  if (!credential) return noKey('missing');
  return canBeApiKey(credential) ? digestSecret(credential) : noKey('malformed');
}
