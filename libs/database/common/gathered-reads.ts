/** Keys in one statement at the most; more go out in several. */
const MAX_KEYS = 500;

interface Waiter<T> {
  resolve: (value: T | null) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads rows one by one for those who ask, and together from the database: what is requested in one turn of the event loop
 * goes out in one statement, and what is requested while so many are under way in the next one.
 *
 * @param readAll the rows by their keys; a key without a row is missing
 * @param atATime statements that may be under way
 * @returns reads one row, or null; rejects with what `readAll` throws
 */
export function gatherReads<T>(
  readAll: (keys: string[]) => Promise<ReadonlyMap<string, T>>,
  atATime = Infinity,
): (key: string) => Promise<T | null> {
  const waiting = new Map<string, Waiter<T>[]>();
  let underWay = 0;

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) setImmediate(send);
      const waiters = waiting.get(key);
      if (waiters) waiters.push({ resolve, reject });
      else waiting.set(key, [{ resolve, reject }]);
      if (waiting.size === MAX_KEYS) send();
    });

  function send(): void {
    while (waiting.size > 0 && underWay < atATime) {
      const requested = new Map([...waiting].slice(0, MAX_KEYS));
      for (const key of requested.keys()) waiting.delete(key);
      underWay += 1;
      void settle(requested).then(() => {
        underWay -= 1;
        send();
      });
    }
  }

  async function settle(requested: ReadonlyMap<string, Waiter<T>[]>): Promise<void> {
    try {
      const found = await readAll([...requested.keys()]);
      for (const [key, waiters] of requested)
        for (const { resolve } of waiters) resolve(found.get(key) ?? null);
    } catch (error) {
      for (const waiters of requested.values()) for (const { reject } of waiters) reject(error);
    }
  }
}
