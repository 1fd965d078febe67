import type { AppConfig } from '@app/config/app-config';
import { clientAddress } from '@app/domain/addresses/client-address';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import type { FastifyRequest } from 'fastify';

/** Address of the client that sent a request; null when it cannot be known. */
export function clientOf(
  { raw, headers }: FastifyRequest,
  { trustedProxies }: Pick<AppConfig, 'trustedProxies'>,
): IpAddress | null {
  return clientAddress(raw.socket.remoteAddress, headers['x-forwarded-for'], trustedProxies).address;
}
