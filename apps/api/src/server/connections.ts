import type { AppConfig } from '@app/config/app-config';
import { containsAddress } from '@app/domain/addresses/address-set';
import { networkOf } from '@app/domain/addresses/client-address';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { findSlowReaders, type Reader } from './slow-readers';

/** Of everyone together. Idle ones take about 20 kB each. */
const MAX_CONNECTIONS = 10_000;
const CHECK_EVERY_MS = 2_000;
/** A network that sent too much on one connection opens no other for so long. */
const CLOSED_FOR_MS = 2_000;
const WARN_EVERY_MS = 60_000;

interface Connection extends Reader {
  /** Whether its network is the client's, not a trusted proxy's. */
  isCounted: boolean;
  /** Whether any request was ever sent on it. */
  isUsed: boolean;
}

/**
 * Bounds what connections hold: how many one network opens (a trusted proxy opens them for its clients, and is not
 * counted), how many there are, and what is written to those that do not read. Lets the server stop while connections are
 * open on which no request was ever sent, as browsers and clients keep in stock: to Node they are not idle.
 *
 * @returns to be called with a connection on which a client has sent too much: closes all others of its network on which
 * no request was sent so far, which most likely hold as much and would cost as much to parse, and accepts no more from it for
 * `CLOSED_FOR_MS`
 */
export function boundConnections(fastify: FastifyInstance, config: AppConfig): (client: Socket) => void {
  const { server } = fastify;
  const connections = new Map<Socket, Connection>();
  const counts = new Map<string, number>();
  const closedUntilMs = new Map<string, number>();
  const warn = warnAtMost(WARN_EVERY_MS);

  server.on('connection', (socket: Socket) => {
    // Not `maxConnections`: of several processes, each that is full would hand the connection back for the next to try, for ever.
    if (connections.size >= MAX_CONNECTIONS) {
      warn(`${MAX_CONNECTIONS} connections are open, as many as one process accepts; closing more`);
      socket.destroy();
      return;
    }
    const { network, isCounted } = identify(socket, config);
    if ((closedUntilMs.get(network) ?? 0) > performance.now()) {
      socket.destroy();
      return;
    }
    const count = counts.get(network) ?? 0;
    if (isCounted && count >= config.maxConnectionsPerAddress) {
      warn(
        `${network} has ${count} connections, as many as MAX_CONNECTIONS_PER_ADDRESS accepts; closing more`,
      );
      socket.destroy();
      return;
    }
    if (isCounted) counts.set(network, count + 1);
    connections.set(socket, { network, socket, isCounted, isUsed: false, unread: null });
    socket.once('close', () => {
      connections.delete(socket);
      if (isCounted) release(counts, network);
    });
  });
  server.on('request', ({ socket }: { socket: Socket }) => {
    const connection = connections.get(socket);
    if (connection) connection.isUsed = true;
  });
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const { socket } of findSlowReaders(connections.values(), nowMs)) socket.destroy();
    for (const [network, untilMs] of closedUntilMs) if (untilMs <= nowMs) closedUntilMs.delete(network);
  }, CHECK_EVERY_MS).unref();
  fastify.addHook('preClose', (done) => {
    clearInterval(timer);
    for (const { socket, isUsed } of connections.values()) if (!isUsed) socket.destroy();
    done();
  });

  return (client) => {
    const { network, isCounted } = identify(client, config);
    if (!isCounted) return;
    closedUntilMs.set(network, performance.now() + CLOSED_FOR_MS);
    for (const each of connections.values())
      if (each.isCounted && !each.isUsed && each.network === network) each.socket.destroy();
  };
}

function identify({ remoteAddress }: Socket, { trustedProxies }: AppConfig) {
  const address = parseIpAddress(remoteAddress ?? '');
  const isCounted = address !== null && !containsAddress(trustedProxies.set, address);
  return { network: networkOf(address), isCounted };
}

function release(counts: Map<string, number>, network: string): void {
  const left = (counts.get(network) ?? 1) - 1;
  if (left === 0) counts.delete(network);
  else counts.set(network, left);
}

function warnAtMost(everyMs: number): (message: string) => void {
  const logger = new Logger('Connections');
  let nextMs = 0;
  return (message) => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + everyMs;
    logger.warn(message);
  };
}
