import { clientOf } from '@app/auth/client-of';
import type { AppConfig } from '@app/config/app-config';
import { networkOf } from '@app/domain/addresses/client-address';
import { DomainError } from '@app/domain/errors';
import type { FastifyReply } from 'fastify';

/** Audio that clients of one network, and of all, may have asked for and not yet read. */
export const MAX_UNREAD_PER_NETWORK = 64 * 1024 * 1024;
export const MAX_UNREAD = 192 * 1024 * 1024;
const RETRY_AFTER_SECS = 5;

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadResponses;
  }
}

/** Bounds the memory that large responses hold while their clients read them. */
export class UnreadResponses {
  private readonly bytes = new UnreadBytes();

  constructor(private readonly config: AppConfig) {}

  /**
   * Reserves memory for a large body until the client has read it or has left. To be called before the body is read from
   * where it is stored.
   *
   * @throws DomainError `too_much_unread`; `system_busy` when other networks hold everything
   */
  reserve({ request, raw }: FastifyReply, bytes: number): void {
    const network = networkOf(clientOf(request, this.config));
    this.bytes.add(network, bytes);
    raw.once('close', () => this.bytes.remove(network, bytes));
  }
}

/** Counts bytes by network, up to the bounds. */
export class UnreadBytes {
  private readonly ofNetwork = new Map<string, number>();
  private total = 0;

  /** @throws DomainError `too_much_unread`, `system_busy`: nothing is added then. A first response is always accepted */
  add(network: string, bytes: number): void {
    const unread = this.ofNetwork.get(network) ?? 0;
    if (unread > 0 && unread + bytes > MAX_UNREAD_PER_NETWORK) {
      const params = { network, bytes, unread, limit: MAX_UNREAD_PER_NETWORK };
      throw new DomainError('too_much_unread', params, { retryAfterSecs: RETRY_AFTER_SECS });
    }
    if (this.total > 0 && this.total + bytes > MAX_UNREAD)
      throw new DomainError('system_busy', {}, { retryAfterSecs: RETRY_AFTER_SECS });
    this.ofNetwork.set(network, unread + bytes);
    this.total += bytes;
  }

  remove(network: string, bytes: number): void {
    const left = (this.ofNetwork.get(network) ?? 0) - bytes;
    if (left <= 0) this.ofNetwork.delete(network);
    else this.ofNetwork.set(network, left);
    this.total -= bytes;
  }
}
