const TURNS = 10;

/**
 * What a promise resolves to. When it has not settled in so long as this process could have read a response, what `late` returns
 * or throws instead. A turn of the event loop counts as a tenth at the most, however long it took: a busy process would
 * otherwise give up, in its timers, on a response that waits in its socket.
 *
 * @param ms milliseconds
 */
export async function inListeningTime<T, Late>(
  promise: Promise<T>,
  ms: number,
  late: () => Late,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<void>((resolve) => {
    const wait = (turns: number) => {
      timer = setTimeout(() => (turns > 1 ? wait(turns - 1) : resolve()), ms / TURNS).unref();
    };
    wait(TURNS);
  });
  try {
    return await Promise.race([promise, timeIsUp.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
