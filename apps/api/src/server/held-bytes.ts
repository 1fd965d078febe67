import { clientOf } from '@app/auth/client-of';
import type { AppConfig } from '@app/config/app-config';
import { networkOf } from '@app/domain/addresses/client-address';
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

/** Counts the bytes in memory that belong to requests of one kind, by network, up to the bounds. */
export class HeldBytes {
  private readonly ofNetwork = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly config: Pick<AppConfig, 'trustedProxies'>,
    private readonly bounds: HeldBytesBounds,
  ) {}

  /**
   * Counts bytes for a request until its response is sent or its client has left. The first of a network is accepted whatever
   * its size.
   *
   * @returns null when they are counted
   * @throws DomainError `system_busy` when other networks hold everything, `client_gone` when the client has left already
   */
  hold({ request, raw }: FastifyReply, bytes: number): TooMuchHeld | null {
    // Its `close` is over: nothing would release what is counted now.
    if (raw.destroyed) throw new DomainError('client_gone');
    const network = networkOf(clientOf(request, this.config));
    const held = this.ofNetwork.get(network) ?? 0;
    const { perNetwork: limit, inAll } = this.bounds;
    if (held > 0 && held + bytes > limit) return { network, bytes, held, limit };
    if (this.total > 0 && this.total + bytes > inAll)
      throw new DomainError('system_busy', {}, { retryAfterSecs: RETRY_AFTER_SECS });
    this.ofNetwork.set(network, held + bytes);
    this.total += bytes;
    raw.once('close', () => this.release(network, bytes));
    return null;
  }

  private release(network: string, bytes: number): void {
    const left = (this.ofNetwork.get(network) ?? 0) - bytes;
    if (left <= 0) this.ofNetwork.delete(network);
    else this.ofNetwork.set(network, left);
    this.total -= bytes;
  }
}
