import { clientOf } from '@app/auth/client-of';
import type { AppConfig } from '@app/config/app-config';
import { networkOf } from '@app/domain/addresses/client-address';
import { HeldShares } from '@app/domain/common/held-shares';
import { DomainError } from '@app/domain/errors';
import { Logger } from '@nestjs/common';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { parse } from 'node:querystring';
import { toErrorBody } from '../http/error-body';
import { newRequestId } from '../http/request-id';
import { presentedTokens } from '../single-use-tokens/single-use-token.hook';

declare module 'node:http' {
  interface IncomingMessage {
    /** Of a handshake that carries no credential: gives the place of its network back, as soon as its client is known. */
    leaveNetwork?: () => void;
  }
}

/** Sockets whose clients have not said yet who they are. */
const SHARE_OF_NETWORKS = { perOwner: 100, inAll: 1_000 };
/** A refusal waits for so long, from the least to the most: those that come back at once do not all come back together. */
const REFUSED_AFTER_MS = { least: 500, most: 1_500 };
const WARN_EVERY_MS = 60_000;

/** The handshakes of WebSockets without a credential: each network has some places, and one more costs next to nothing. */
export class StrangerSockets {
  private readonly places = new HeldShares(SHARE_OF_NETWORKS);
  private readonly logger = new Logger('StrangerSockets');
  private warnAtMs = 0;

  constructor(
    private readonly config: AppConfig,
    /** Lines of every response. */
    private readonly commonLines: string,
  ) {}

  /**
   * Takes a place for a handshake that carries no credential, until its connection is closed or its client is known.
   *
   * @returns false where there is none: the connection is refused, and nothing else may be done with it
   */
  accept(request: IncomingMessage, socket: Socket): boolean {
    if (carriesCredential(request)) return true;
    const network = networkOf(clientOf({ raw: request, headers: request.headers }, this.config));
    const full = this.places.take(network, 1);
    if (full === null) {
      let leave: (() => void) | null = () => this.places.release(network, 1);
      request.leaveNetwork = () => {
        leave?.();
        leave = null;
      };
      socket.once('close', request.leaveNetwork);
      return true;
    }
    const owner = `${network}, without a credential,`;
    const limit = SHARE_OF_NETWORKS.perOwner;
    this.refuse(
      socket,
      full === 'all' ? new DomainError('system_busy') : new DomainError('too_many_sockets', { owner, limit }),
    );
    return false;
  }

  /** In a moment. Until then nothing is read, and no request is made of it. */
  private refuse(socket: Socket, refusal: DomainError): void {
    this.warn(refusal.message);
    const { least, most } = REFUSED_AFTER_MS;
    const send = () => {
      const requestId = newRequestId();
      const { status, headers, body } = toErrorBody(refusal, requestId);
      const own = Object.entries({ ...headers, 'x-request-id': requestId, connection: 'close' });
      const text = JSON.stringify(body);
      socket.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
          `${this.commonLines}${own.map(([name, value]) => `${name}: ${value}\r\n`).join('')}` +
          `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
        () => socket.destroy(),
      );
    };
    setTimeout(send, least + Math.random() * (most - least)).unref();
  }

  private warn(message: string): void {
    if (performance.now() < this.warnAtMs) return;
    this.warnAtMs = performance.now() + WARN_EVERY_MS;
    this.logger.warn(`Handshakes are refused: ${message}`);
  }
}

/** A page can send no header: its first message may name the key. */
function carriesCredential({ url = '', headers }: IncomingMessage): boolean {
  const { authorization, 'xi-api-key': key } = headers;
  const query = url.includes('?') ? parse(url.slice(url.indexOf('?') + 1)) : {};
  return authorization !== undefined || key !== undefined || presentedTokens({ query, headers }).length > 0;
}
