import { clientOf } from '@app/auth/client-of';
import type { AppConfig } from '@app/config/app-config';
import { networkOf } from '@app/domain/addresses/client-address';
import { DomainError } from '@app/domain/errors';
import type { FastifyReply } from 'fastify';
import { HeldBytes, RETRY_AFTER_SECS } from './held-bytes';

const BOUNDS = { perNetwork: 64 * 1024 * 1024, inAll: 192 * 1024 * 1024 };

declare module 'fastify' {
  interface FastifyInstance {
    unread: UnreadResponses;
  }
}

/** Bounds the memory that large responses hold while their clients read them. */
export class UnreadResponses {
  private readonly bytes = new HeldBytes(BOUNDS);

  constructor(private readonly config: AppConfig) {}

  /**
   * Reserves memory for a large body until the client has read it or has left. To be called before the body is read from
   * where it is stored.
   *
   * @throws DomainError `too_much_unread`; `system_busy` when other networks hold everything
   */
  reserve({ request, raw }: FastifyReply, bytes: number): void {
    const network = networkOf(clientOf(request, this.config));
    const held = this.bytes.add(network, bytes);
    if (held !== null) {
      const params = { network, bytes, held, limit: BOUNDS.perNetwork };
      throw new DomainError('too_much_unread', params, { retryAfterSecs: RETRY_AFTER_SECS });
    }
    raw.once('close', () => this.bytes.remove(network, bytes));
  }
}
