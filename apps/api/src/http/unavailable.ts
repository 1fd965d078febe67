import { DomainError } from '@app/domain/errors';
import { types } from 'node:util';
import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';

/** Network errors of Node that mean "the other side is not there". */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

/**
 * SQLSTATE classes and codes that pass without help: connection lost, resources, shutdown, serialization, lock, time-out, and a
 * server that takes no writes, which is one that a failover has left behind.
 */
const SQLSTATE = /^(08...|53...|57P0[1-5]|57014|40001|40P01|55P03|25006)$/;

/** What TypeORM says of a transaction whose connection was lost between two of its queries. */
const RELEASED = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

/** Messages of the PostgreSQL driver that carry no code. */
const DRIVER =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** A 503 when an error says that a part is down; null for any other error. */
export function toServiceUnavailable(error: unknown): DomainError | null {
  if (!types.isNativeError(error)) return null;
  const code = (error as { code?: unknown }).code;
  const passing =
    (typeof code === 'string' && (NETWORK.has(code) || SQLSTATE.test(code))) ||
    RELEASED.some((released) => error instanceof released) ||
    DRIVER.test(error.message);
  return passing ? new DomainError('service_unavailable', {}, { cause: error }) : null;
}
