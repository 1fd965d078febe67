import { DomainError } from '@app/domain/errors';

export const RETRY_AFTER_SECS = 5;

/** Bytes that clients of one network, and of all, may make the api hold at once. */
export interface HeldBytesBounds {
  readonly perNetwork: number;
  readonly inAll: number;
}

/** Counts the bytes in memory that belong to requests of one kind, by network, up to the bounds. */
export class HeldBytes {
  private readonly ofNetwork = new Map<string, number>();
  private total = 0;

  constructor(readonly bounds: HeldBytesBounds) {}

  /**
   * The first of a network is accepted whatever its size.
   *
   * @returns null when the bytes were added; otherwise how many the network holds, which leave no room for these
   * @throws DomainError `system_busy` when other networks hold everything
   */
  add(network: string, bytes: number): number | null {
    const held = this.ofNetwork.get(network) ?? 0;
    if (held > 0 && held + bytes > this.bounds.perNetwork) return held;
    if (this.total > 0 && this.total + bytes > this.bounds.inAll)
      throw new DomainError('system_busy', {}, { retryAfterSecs: RETRY_AFTER_SECS });
    this.ofNetwork.set(network, held + bytes);
    this.total += bytes;
    return null;
  }

  remove(network: string, bytes: number): void {
    const left = (this.ofNetwork.get(network) ?? 0) - bytes;
    if (left <= 0) this.ofNetwork.delete(network);
    else this.ofNetwork.set(network, left);
    this.total -= bytes;
  }
}
