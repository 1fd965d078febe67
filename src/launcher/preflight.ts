import type { AppConfig } from '@app/config/app-config';
import { PostgresClient } from '@app/database/common/postgres-client';
import { proveSession } from '@app/database/common/session-proof';
import type { VariableName } from '@app/config/variables';
import { askRedis, describeRedis, redisTarget } from '@app/connections/redis-client';
import { isIPv6 } from 'node:net';
import { tryPort } from './free-port';
import { LaunchError, reasonOf } from './launch-error';
import { findPortOwner } from './port-owner';

const TIMEOUT_MS = 5_000;
/** `server_version_num` of PostgreSQL 15. */
const OLDEST_POSTGRES = 150_000;

/**
 * Makes sure that the api, or what the variable is about, will be able to listen.
 *
 * @returns the port, a free one for 0
 * @throws LaunchError naming the port and, when it is known, what listens there
 */
export async function checkPort(
  host: string,
  port: number,
  variable: VariableName = 'PORT',
): Promise<number> {
  try {
    return await tryPort(host, port);
  } catch (error) {
    throw new LaunchError(portProblem(host, port, variable, error as NodeJS.ErrnoException), {
      cause: error,
    });
  }
}

function portProblem(
  host: string,
  port: number,
  variable: VariableName,
  error: NodeJS.ErrnoException,
): string {
  if (error.code === 'EADDRINUSE') {
    const owner = findPortOwner(port);
    return `Port ${port} is in use${owner ? ` by ${owner}` : ''}. Stop that, or set ${variable} to another one (${variable}=0 takes any free port).`;
  }
  if (error.code === 'EACCES')
    return `Port ${port} needs more rights. Set ${variable} to one from 1024 upwards.`;
  if (error.code === 'EADDRNOTAVAIL') return `HOST ${host} is not an address of this machine.`;
  return `HOST ${host}, ${variable} ${port}: ${reasonOf(error)}.`;
}

/** As `checkPort`, for the ports on which the processes report. */
export async function checkReportPorts({ host, metricsPort, workerHealthPort }: AppConfig): Promise<void> {
  if (metricsPort !== undefined) await checkPort(host, metricsPort, 'METRICS_PORT');
  if (workerHealthPort !== undefined) await checkPort(host, workerHealthPort, 'WORKER_HEALTH_PORT');
}

/**
 * The database that is migrated before anything else connects.
 *
 * @throws LaunchError as `checkDatabase` does, and when a connection is not one session, in which a migration keeps its lock
 */
export async function checkMigrationDatabase(config: AppConfig): Promise<void> {
  const name = config.migrationDatabaseUrl === undefined ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL';
  const url = config.requireMigrationDatabaseUrl();
  await checkDatabase(url, name);
  await proveSession(url, name).catch((error: Error) => {
    throw new LaunchError(error.message, { cause: error });
  });
}

/**
 * @param variable the variable that the URL is from
 * @throws LaunchError when the database does not respond, refuses us or is too old
 */
export async function checkDatabase(databaseUrl: string, variable = 'DATABASE_URL'): Promise<void> {
  const client = new PostgresClient({
    connectionString: databaseUrl,
    query_timeout: TIMEOUT_MS,
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
    if (Number(rows[0]?.server_version_num) < OLDEST_POSTGRES) {
      throw new Error('it is older than PostgreSQL 15');
    }
  } catch (error) {
    throw new LaunchError(
      `The database of ${variable} (${placeOf(databaseUrl)}) cannot be used: ${causeOf(error)}.`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @throws LaunchError when the configured Redis does not respond or refuses us */
export async function checkRedis(config: AppConfig): Promise<void> {
  const redis = redisTarget(config);
  if (!redis) return;
  try {
    await askRedis(redis, TIMEOUT_MS, (server) => server.ping());
  } catch (error) {
    throw new LaunchError(`The Redis of ${describeRedis(config)} cannot be used: ${causeOf(error)}.`, {
      cause: error,
    });
  }
}

/** Host, port and path of a URL: enough to recognise it, nothing secret. */
function placeOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `${searchParams.get('hosts') ?? host}${pathname}`;
}

/** A name with several addresses fails with one error per address. */
function causeOf(error: unknown): string {
  return reasonOf(error instanceof AggregateError ? (error.errors[0] ?? error) : error);
}

/** The address at which this machine reaches a server that listens on this host. */
export function baseUrlOf(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
