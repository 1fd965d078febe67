import type { AppConfig } from '@app/config/app-config';
import { containsAddress } from '@app/domain/addresses/address-set';
import { isPrivateNetwork } from '@app/domain/addresses/internal-addresses';
import { formatIpAddress, parseIpAddress } from '@app/domain/addresses/ip-address';
import { DomainError } from '@app/domain/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Scheme and host at which the client has reached us, see `ownOrigin`. */
    readonly ownOrigin: string;
  }
}

type Settings = Pick<AppConfig, 'publicUrl' | 'trustedProxies'>;
type Request = Pick<FastifyRequest, 'headers' | 'protocol' | 'host'> & {
  raw: { socket: { remoteAddress?: string } };
};

/** A host with or without a port, and nothing around it. */
const HOST = /^[^\s/?#@\\,]+$/;

/** Gives each request its `ownOrigin`. */
export function knowOwnOrigin(fastify: FastifyInstance, config: Settings): void {
  fastify.decorateRequest('ownOrigin', {
    getter(this: FastifyRequest) {
      return ownOrigin(this, config);
    },
  });
}

/**
 * Where the client has reached us: PUBLIC_URL, else the scheme and host that a trusted proxy names, else those of the request.
 * Cookies, links and the check for cross-site requests follow it.
 */
export function ownOrigin(request: Request, { publicUrl, trustedProxies }: Settings): string {
  if (publicUrl !== undefined) return publicUrl;
  const { headers, protocol, host, raw } = request;
  const scheme = lastOf(headers['x-forwarded-proto']);
  const name = lastOf(headers['x-forwarded-host']);
  const isForwarded = scheme !== undefined || name !== undefined;
  const peer = isForwarded ? parseIpAddress(raw.socket.remoteAddress ?? '') : null;
  if (peer === null || !containsAddress(trustedProxies.set, peer)) return `${protocol}://${host}`;
  const isScheme = scheme === 'http' || scheme === 'https';
  const isHost = name !== undefined && HOST.test(name) && URL.canParse(`http://${name}`);
  return `${isScheme ? scheme : protocol}://${isHost ? name : host}`;
}

/**
 * Over plain http, a password is typed on private networks only.
 *
 * @throws DomainError `sign_in_in_clear`
 */
export function refuseInClear({
  raw,
  ownOrigin: own,
}: Pick<FastifyRequest, 'ownOrigin'> & Pick<Request, 'raw'>): void {
  if (own.startsWith('https:')) return;
  const peer = parseIpAddress(raw.socket.remoteAddress ?? '');
  if (peer === null || isPrivateNetwork(peer)) return;
  throw new DomainError('sign_in_in_clear', { own: own.slice(0, 100), address: formatIpAddress(peer) });
}

/** What the nearest proxy has written: everything before it may be the client's invention. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.split(',').at(-1)?.trim().toLowerCase();
}
