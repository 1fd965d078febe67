import { clientOf } from '@app/auth/client-of';
import type { AppConfig } from '@app/config/app-config';
import { networkOf } from '@app/domain/addresses/client-address';
import { HeldShares } from '@app/domain/common/held-shares';
import { DomainError } from '@app/domain/errors';
import type { FastifyReply } from 'fastify';

export const RETRY_AFTER_SECS = 5;

/** Bytes that clients of one network, and of all, may make the api hold at once. */
interface HeldBytesBounds {
  readonly perNetwork: number;
  readonly inAll: number;
}

/** Why a network may not have more held: the parameters of the refusal. */
interface TooMuchHeld {
  readonly network: string;
  readonly bytes: number;
  /** For other requests of the network. */
  readonly held: number;
  readonly limit: number;
}

/** Counts the bytes in memory that belong to responses of one kind, by network, up to the bounds. */
export class HeldBytes {
  private readonly shares: HeldShares;

  constructor(
    private readonly config: Pick<AppConfig, 'trustedProxies'>,
    { perNetwork, inAll }: HeldBytesBounds,
  ) {
    this.shares = new HeldShares({ perOwner: perNetwork, inAll });
  }

  /**
   * Counts bytes for a request until its response is sent or its client has left. The first of a network is accepted, whatever
   * its size.
   *
   * @returns null when they are counted
   * @throws DomainError `system_busy` when other networks hold everything, `client_gone` when the client has left already
   */
  hold({ request, raw }: FastifyReply, bytes: number): TooMuchHeld | null {
    // Its `close` is over: nothing would release what is counted now.
    if (raw.destroyed) throw new DomainError('client_gone');
    const network = networkOf(clientOf(request, this.config));
    const held = this.shares.heldBy(network);
    const full = this.shares.take(network, bytes);
    if (full === 'owner') return { network, bytes, held, limit: this.shares.bounds.perOwner };
    if (full === 'all') throw new DomainError('system_busy', {}, { retryAfterSecs: RETRY_AFTER_SECS });
    raw.once('close', () => this.shares.release(network, bytes));
    return null;
  }
}
