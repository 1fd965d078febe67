import { networkOf } from '@app/domain/addresses/client-address';
import { DomainError } from '@app/domain/errors';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import { LRUCache } from 'lru-cache';

/** Look-ups in vain that a network may cause at once, and then per second. */
const BURST = 100;
const PER_SECOND = 10;
const EACH_MS = 1_000 / PER_SECOND;
/** The longest that a network waits, however often it has failed. */
const LONGEST_WAIT_MS = 10_000;
/** Networks to keep; those that failed longest ago are dropped first. About 2 MB. */
const MAX_NETWORKS = 20_000;

/**
 * Bounds the look-ups of credentials that do not exist, by the network of the client: an IPv4 address, or a /64. Checked
 * before the database is. A leaky bucket in each process; a credential that is in a cache needs no look-up, and works from
 * everywhere.
 */
export class FailedCredentials {
  /** When the failures of a network will have been worked off, in monotonic milliseconds. */
  private readonly busyUntilMs = new LRUCache<string, number>({ max: MAX_NETWORKS });

  /** @param nowMs on a monotonic clock */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** The refusal of a look-up for this client, or null. */
  refusal(address: IpAddress | null): DomainError | null {
    const network = networkOf(address);
    const waitMs = (this.busyUntilMs.get(network) ?? 0) - this.nowMs() - BURST * EACH_MS;
    if (waitMs <= 0) return null;
    const retryAfterSecs = Math.ceil(waitMs / 1_000);
    return new DomainError('too_many_failed_credentials', { network, retryAfterSecs }, { retryAfterSecs });
  }

  /** Notes that a look-up for this client has found nothing. */
  note(address: IpAddress | null): void {
    const network = networkOf(address);
    const nowMs = this.nowMs();
    const latestMs = nowMs + BURST * EACH_MS + LONGEST_WAIT_MS;
    const busyUntilMs = Math.max(nowMs, this.busyUntilMs.get(network) ?? 0) + EACH_MS;
    this.busyUntilMs.set(network, Math.min(busyUntilMs, latestMs));
  }
}
