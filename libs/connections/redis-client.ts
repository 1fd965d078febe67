import type { AppConfig } from '@app/config/app-config';
import { Cluster, Redis, type RedisOptions } from 'ioredis';

/** How to reach Redis: one server, the master that sentinels name, or a cluster when it has nodes. */
export type RedisTarget = RedisOptions & { clusterNodes?: { host: string; port: number }[] };

/** The Redis that is configured; null when none is. */
export function redisTarget(config: AppConfig): RedisTarget | null {
  if (config.redisUrl === undefined) return null;
  const { protocol, hostname, port, username, password, pathname } = new URL(config.redisUrl);
  const tls = protocol === 'rediss:' ? { ca: config.redisCa } : undefined;
  const login = {
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    tls,
  };
  if (config.redisCluster) return { ...login, clusterNodes: config.redisCluster };
  const db = Number(pathname.slice(1));
  if (config.redisSentinels)
    return {
      ...login,
      db,
      name: decodeURIComponent(hostname),
      sentinels: config.redisSentinels,
      sentinelPassword: config.redisSentinelPassword,
      sentinelTLS: tls,
      enableTLSForSentinelMode: tls !== undefined,
    };
  return { ...login, db, host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 6379) };
}

/** Where the configured Redis is said to be, without anything secret. */
export function describeRedis({ redisUrl = '', redisSentinels, redisCluster }: AppConfig): string {
  const { host, pathname } = new URL(redisUrl);
  const list = (addresses: { host: string; port: number }[]) =>
    addresses.map((address) => `${address.host}:${address.port}`).join(', ');
  if (redisCluster) return `REDIS_CLUSTER (${list(redisCluster)})`;
  if (redisSentinels) return `REDIS_SENTINELS (${list(redisSentinels)}, master "${host}")`;
  return `REDIS_URL (${host}${pathname})`;
}

/** A client of one server or of a cluster. The caller listens to its errors and ends it. */
export function connectRedis({ clusterNodes, ...options }: RedisTarget): Redis | Cluster {
  if (!clusterNodes) return new Redis(options);
  const { host: _host, port: _port, retryStrategy, enableOfflineQueue, ...rest } = options;
  const { lazyConnect, enableAutoPipelining, ...each } = rest;
  return new Cluster(clusterNodes, {
    clusterRetryStrategy: retryStrategy,
    enableOfflineQueue,
    lazyConnect,
    enableAutoPipelining,
    // A name stays a name: that is what a certificate is for.
    dnsLookup: (address, done) => done(null, address),
    redisOptions: each,
  });
}

/**
 * Connects once, queries every server that takes writes, and ends the connection.
 *
 * @throws the reason why one cannot be queried, within about twice `timeoutMs`
 */
export async function askRedis<T>(
  target: RedisTarget,
  timeoutMs: number,
  ask: (server: Redis) => Promise<T>,
): Promise<T[]> {
  const redis = connectRedis({
    ...target,
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
  });
  let lastError: Error | undefined;
  redis.on('error', (error: Error) => (lastError = error));
  const silentEnd = target.clusterNodes ? 'its cluster_state is not ok' : 'the connection was ended';
  // A cluster that is not whole never ends its attempt to connect.
  const ended = new Promise<never>((_, reject) =>
    redis.once('end', () => reject(lastError ?? new Error(silentEnd))),
  );
  try {
    await Promise.race([redis.connect(), ended]);
    const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
    return await Promise.all(servers.map(ask));
  } catch (error) {
    throw causeOf(lastError ?? (error as Error));
  } finally {
    ended.catch(() => undefined);
    redis.disconnect();
  }
}

/** A cluster reports that no node responds, without the reason. */
function causeOf(error: Error & { lastNodeError?: Error }): Error {
  return error.lastNodeError ?? error;
}
