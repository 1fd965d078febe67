import { isSlow } from '@app/database/common/late-database';

/**
 * SQLSTATEs of a server that works, and did not get to a statement in time: serialization, deadlock, lock, time-out, and all of its
 * connections in use.
 */
const SQLSTATE = /^(40001|40P01|55P03|57014|53300)$/;
/** What the client of PostgreSQL says, without a code, when its pool is full. */
const FULL = /^timeout exceeded when trying to connect/;

/**
 * Whether a store failed because it, or this process, has too much to do: also when it accepts no connection in time, which a server
 * that is busy and one that is gone have in common. Any other failure means that the store is down.
 */
export function isOverload(error: Error & { code?: unknown }): boolean {
  const { code, message } = error;
  return (typeof code === 'string' && SQLSTATE.test(code)) || FULL.test(message) || isSlow(error);
}
