/** Work that may be interrupted wherever it yields. */
export type Interruptible<T> = Generator<void, T, void>;

/** Does work at once, of which there is little. */
export function atOnce<T>(work: Interruptible<T>): T {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
}
