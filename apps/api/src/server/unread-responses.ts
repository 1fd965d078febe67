import type { AppConfig } from '@app/config/app-config';
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
  private readonly responses: HeldBytes;

  constructor(config: AppConfig) {
    this.responses = new HeldBytes(config, BOUNDS);
  }

  /**
   * Reserves memory for a large body until the client has read it or has left. To be called before the body is read from
   * where it is stored.
   *
   * @throws DomainError `too_much_unread`; `system_busy` when other networks hold everything; `client_gone`
   */
  reserve(reply: FastifyReply, bytes: number): void {
    const tooMuch = this.responses.hold(reply, bytes);
    if (tooMuch)
      throw new DomainError('too_much_unread', { ...tooMuch }, { retryAfterSecs: RETRY_AFTER_SECS });
  }
}
