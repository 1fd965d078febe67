import { Redis } from 'ioredis';

/** What decides whether a Redis may keep queues. */
export interface RedisFacts {
  version: string;
  /** Null when the server does not tell, as some managed ones. */
  evictionPolicy: string | null;
  /** How far its clock is from this machine's. */
  clockDifferenceSecs: number;
}

const TIMEOUT_MS = 3_000;

/**
 * Asks a Redis what it is.
 *
 * @throws the connection's error, within about 3 s
 */
export async function readRedisFacts(url: string): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const before = Date.now();
    const [secs, micros] = await redis.time();
    const here = (before + Date.now()) / 2;
    return {
      version: /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown',
      evictionPolicy: await readPolicy(redis),
      clockDifferenceSecs: Math.abs(Number(secs) * 1_000 + Number(micros) / 1_000 - here) / 1_000,
    };
  } finally {
    redis.disconnect();
  }
}

async function readPolicy(redis: Redis): Promise<string | null> {
  try {
    const [, policy] = await redis.config('GET', 'maxmemory-policy');
    return policy ?? null;
  } catch {
    return null;
  }
}
