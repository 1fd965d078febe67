/** How long a test waits for what happens in the end: a worker's start took more than 15 s on a slow machine that was busy. */
export const WAIT_MS = 60_000;

/**
 * Waits until a check passes, trying again every `everyMs`.
 *
 * @throws the check's last error when it has not passed after `withinMs`
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  { withinMs = WAIT_MS, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
