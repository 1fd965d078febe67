import type { AppConfig } from '@app/config/app-config';
import { QUEUE_SCHEMA } from '@app/database/common/application-role';
import { PostgresClient, type SessionSettings } from '@app/database/common/postgres-client';
import { PostgresPool } from '@app/database/common/postgres-pool';
import { redisTarget } from '@app/connections/redis-client';
import {
  createPostgresBackend,
  createRedisBackend,
  type BackendFactory,
  type PostgresPoolConfig,
  type PostgresQueueBackend,
  type RedisOptions,
} from 'bullmq';
import type { Pool } from 'pg';

/** Begins the name of every queue's keys. The braces keep all keys of a queue in one slot of a Redis cluster. */
export const QUEUE_PREFIX = '{greenroom}';

/**
 * A connection on which a command waits for longer than this is half-open, and is opened again: otherwise it would be for
 * ever. Longer than a worker lets Redis wait for a job, which is 10 s at the most.
 */
const SILENCE_MS = 15_000;

/** By how much the clocks of workers may differ. */
const CLOCK_SKEW_MS = 5_000;
/** Where BullMQ keeps when its workers last looked for the jobs of dead ones. */
const LAST_CHECK = 'stalled-check';

/** BullMQ's commands name its tables without their schema, and would set it in the startup options, which may not arrive. */
type QueuePoolConfig = PostgresPoolConfig & { session?: SessionSettings };

/**
 * Where BullMQ keeps its queues: Redis when one is configured, otherwise PostgreSQL.
 *
 * @throws ConfigError when neither is configured
 */
export function queueConnection(config: AppConfig): RedisOptions | QueuePoolConfig {
  const redis = redisTarget(config);
  // What BullMQ does not know of it is handed to `connectRedis` with the rest.
  if (redis) return { ...redis, socketTimeout: SILENCE_MS };
  return {
    connectionString: config.requireDatabaseUrl(),
    // Brought up to date by `greenroom migrate`: the application's role may not change it.
    schema: QUEUE_SCHEMA,
    session: { search_path: QUEUE_SCHEMA },
    // A pool for each Queue and Worker; a Worker has one more connection, to listen on.
    max: 3,
    maxLifetimeSeconds: 600,
    // Includes waiting for one of the few connections, behind a batch of jobs.
    connectionTimeoutMillis: 5_000,
    statement_timeout: 5_000,
    query_timeout: 6_000,
    idle_in_transaction_session_timeout: 20_000,
  };
}

/**
 * A producer of jobs on Redis gets an error within 2 s, where the default is to wait until Redis is back. The error
 * does not mean that the job was not added.
 */
const FAIL_FAST = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: 2_000,
  socketTimeout: 3_000,
};

/**
 * BullMQ's backend for a connection of `queueConnection`. On Redis a Queue fails fast and a Worker waits for as long as
 * it takes.
 */
export const openBackend: BackendFactory = (name, options, use = {}) => {
  const connection: RedisOptions | PostgresPoolConfig = options.connection;
  if (isPostgres(connection))
    return withoutFutureChecks(
      withoutOldFailures(withOurClient(createPostgresBackend(name, { ...options, connection }, use))),
    );
  const isProducer = !use.blocking && !use.withBlockingConnection;
  return createRedisBackend(
    name,
    isProducer ? { ...options, connection: { ...connection, ...FAIL_FAST } } : { ...options, connection },
    use,
  );
};

function isPostgres(connection: RedisOptions | PostgresPoolConfig): connection is PostgresPoolConfig {
  return 'connectionString' in connection;
}

/** BullMQ (6.7.0) has the driver's pool, and the driver's client for the connection on which it listens. */
function withOurClient(backend: PostgresQueueBackend): PostgresQueueBackend {
  const connection = backend.connection as unknown as { pgModule: object; pool: Pool };
  connection.pgModule = { Client: PostgresClient };
  const ours = new PostgresPool(connection.pool.options);
  for (const listener of connection.pool.listeners('error')) ours.on('error', listener as () => void);
  connection.pool = ours;
  return backend;
}

/**
 * BullMQ (6.7.0) remembers how its first connection to PostgreSQL ended, also when PostgreSQL was only late or slow: such
 * a queue would return nothing but that error until its process is restarted. Here the next use tries again.
 */
function withoutOldFailures(backend: PostgresQueueBackend): PostgresQueueBackend {
  for (const part of [backend, backend.connection]) {
    const memory = part as unknown as { readyPromise?: Promise<void> };
    const waitUntilReady = part.waitUntilReady.bind(part);
    part.waitUntilReady = async () => {
      try {
        await waitUntilReady();
      } catch (error) {
        memory.readyPromise = undefined;
        throw error;
      }
    };
  }
  return backend;
}

/**
 * The workers of BullMQ (6.7.0) on PostgreSQL look for the jobs of dead ones once in an interval, and keep the time of the
 * last look by their own clocks: after one whose clock was an hour ahead, none would look for an hour. Here a look that lies
 * in the future is forgotten.
 */
function withoutFutureChecks(backend: PostgresQueueBackend): PostgresQueueBackend {
  const moveStalledJobsToWait = backend.moveStalledJobsToWait.bind(backend);
  backend.moveStalledJobsToWait = async () => {
    const lookedAtMs = Number(await backend.getQueueMetaField(LAST_CHECK));
    if (lookedAtMs > Date.now() + CLOCK_SKEW_MS) await backend.removeQueueMetaFields([LAST_CHECK]);
    return moveStalledJobsToWait();
  };
  return backend;
}
