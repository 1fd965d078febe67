/** SQLSTATEs of a server that works, and did not get to a statement in time: serialization, deadlock, lock, time-out. */
const SQLSTATE = /^(40001|40P01|55P03|57014)$/;
/** Messages without a code of the client of PostgreSQL: a pool that is full, a query without a response. */
const MESSAGE = /^(timeout exceeded when trying to connect|Query read timeout)/;

/** Whether a store failed because it, or this process, has too much to do. Any other failure means that the store is down. */
export function isOverload({ code, message }: Error & { code?: unknown }): boolean {
  return (typeof code === 'string' && SQLSTATE.test(code)) || MESSAGE.test(message);
}
