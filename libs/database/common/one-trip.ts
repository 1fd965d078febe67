/**
 * Waits for statements of one transaction that need nothing of each other: the pool sends each without waiting for the
 * results of those before it, so together they take one trip to PostgreSQL. It runs them in the order in which they begin.
 *
 * All of them have ended when it returns or throws, for a statement that is sent after the ROLLBACK would be committed.
 *
 * @throws the failure that came first
 */
export async function inOneTrip<T extends readonly Promise<unknown>[] | []>(
  statements: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  try {
    return await Promise.all(statements);
  } finally {
    await Promise.allSettled(statements);
  }
}
