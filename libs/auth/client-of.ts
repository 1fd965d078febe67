import type { AppConfig } from '@app/config/app-config';
import { containsAddress } from '@app/domain/addresses/address-set';
import { clientAddress } from '@app/domain/addresses/client-address';
import { parseIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Who is at the other end of a connection, for requests that no proxy has passed on: the same for all of them. */
const peers = new WeakMap<Socket, IpAddress>();

/** Address of the client that sent a request; null when it cannot be known. */
export function clientOf(
  { raw: { socket }, headers }: { raw: Pick<IncomingMessage, 'socket'>; headers: IncomingHttpHeaders },
  { trustedProxies }: Pick<AppConfig, 'trustedProxies'>,
): IpAddress | null {
  const forwarded = headers['x-forwarded-for'];
  const known = forwarded === undefined ? peers.get(socket) : undefined;
  if (known) return known;
  const { address } = clientAddress(socket.remoteAddress, forwarded, trustedProxies);
  if (forwarded === undefined && address) peers.set(socket, address);
  return address;
}

/** Whether a request comes from a proxy that is believed. */
export function isFromTrustedProxy(
  { raw: { socket } }: { raw: Pick<IncomingMessage, 'socket'> },
  { trustedProxies }: Pick<AppConfig, 'trustedProxies'>,
): boolean {
  const peer = parseIpAddress(socket.remoteAddress ?? '');
  return peer !== null && containsAddress(trustedProxies.set, peer);
}
