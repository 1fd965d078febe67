import {
  DENIED,
  evaluateClock,
  evaluateRedis,
  evaluateRedisWrites,
  type Finding,
} from '@app/domain/common/backend-check';
import { askRedis, type RedisTarget } from '@app/connections/redis-client';
import { QUEUE_PREFIX } from './queue-connection';
import type { Redis } from 'ioredis';

/** What decides whether a Redis may keep queues. */
interface RedisFacts {
  version: string;
  /** Null when the server does not report it, as some managed ones; "denied" when the user may not ask. */
  evictionPolicy: string | null;
  isClusterNode: boolean;
  /** How far its clock is from this machine's. */
  clockDifferenceSecs: number;
}

const TIMEOUT_MS = 3_000;
/** A server that is full, cannot save, or is a replica. */
const REFUSALS = /^(OOM|MISCONF|READONLY)/;

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
    const info = await redis.info('server');
    return {
      version: /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown',
      isClusterNode: /^redis_mode:cluster/m.test(info),
      evictionPolicy: await readPolicy(redis),
      clockDifferenceSecs: Math.abs(Number(secs) * 1_000 + Number(micros) / 1_000 - here) / 1_000,
    };
  });
}

const LONELY_NODE: Finding = {
  status: 'failed',
  detail:
    'The Redis of REDIS_URL is a node of a cluster, and refuses what other nodes have. Name nodes in REDIS_CLUSTER; REDIS_URL then gives the login.',
};

/** What is to be said of a Redis: all servers of a cluster have to be fit. */
export async function examineRedis(target: RedisTarget): Promise<Finding[]> {
  const facts = await readRedisFacts(target);
  const isCluster = target.clusterNodes !== undefined;
  return facts.flatMap(({ version, evictionPolicy, clockDifferenceSecs, isClusterNode }) => [
    isClusterNode && !isCluster ? LONELY_NODE : evaluateRedis(version, evictionPolicy),
    evaluateClock('Redis', clockDifferenceSecs),
  ]);
}

/** What is to be said of the jobs that a Redis takes: one that is full, or cannot save them, still responds. */
export async function examineRedisWrites(target: RedisTarget): Promise<Finding[]> {
  return (await askRedis(target, TIMEOUT_MS, readRefusal)).map(evaluateRedisWrites);
}

/** Why a server takes nothing; null when it does, or when the key belongs to another node of its cluster. */
async function readRefusal(redis: Redis): Promise<string | null> {
  try {
    await redis.set(`${QUEUE_PREFIX}:doctor`, '1', 'PX', 1_000);
    return null;
  } catch (error) {
    const { message } = error as Error;
    return REFUSALS.test(message) ? message : null;
  }
}

async function readPolicy(redis: Redis): Promise<string | null> {
  try {
    const [, policy] = await redis.config('GET', 'maxmemory-policy');
    return policy ?? null;
  } catch (error) {
    return (error as Error).message.startsWith('NOPERM') ? DENIED : null;
  }
}
