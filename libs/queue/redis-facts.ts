import { judgeClock, judgeRedis, type Finding } from '@app/domain/common/backend-check';
import { askRedis, type RedisTarget } from '@app/connections/redis-client';
import type { Redis } from 'ioredis';

/** What decides whether a Redis may keep queues. */
interface RedisFacts {
  version: string;
  /** Null when the server does not report it, as some managed ones. */
  evictionPolicy: string | null;
  /** How far its clock is from this machine's. */
  clockDifferenceSecs: number;
}

const TIMEOUT_MS = 3_000;

/**
 * Reads what a Redis reports of itself; in a cluster every master, otherwise the one server.
 *
 * @throws the connection's error, within about 6 s
 */
async function readRedisFacts(target: RedisTarget): Promise<RedisFacts[]> {
  return askRedis(target, TIMEOUT_MS, async (redis) => {
    const before = Date.now();
    const [secs, micros] = await redis.time();
    const here = (before + Date.now()) / 2;
    return {
      version: /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown',
      evictionPolicy: await readPolicy(redis),
      clockDifferenceSecs: Math.abs(Number(secs) * 1_000 + Number(micros) / 1_000 - here) / 1_000,
    };
  });
}

/** What is to be said of a Redis: all servers of a cluster have to be fit. */
export async function examineRedis(target: RedisTarget): Promise<Finding[]> {
  const facts = await readRedisFacts(target);
  return facts.flatMap(({ version, evictionPolicy, clockDifferenceSecs }) => [
    judgeRedis(version, evictionPolicy),
    judgeClock('Redis', clockDifferenceSecs),
  ]);
}

async function readPolicy(redis: Redis): Promise<string | null> {
  try {
    const [, policy] = await redis.config('GET', 'maxmemory-policy');
    return policy ?? null;
  } catch {
    return null;
  }
}
