/**
 * Waits until a check passes, trying again every `everyMs`.
 *
 * @throws the check's last error when it has not passed after `withinMs`
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  { withinMs = 40_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
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
