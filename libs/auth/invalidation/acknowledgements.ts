/** At most so many messages are stored; the oldest is evicted first, as when its change was rolled back. */
const MAX_MESSAGES = 10_000;

/** Who has acknowledged which message of this process. */
export class Acknowledgements {
  private readonly byNumber = new Map<number, Set<string>>();
  private readonly waiters = new Set<() => void>();

  /** Must be called before the first acknowledgement can come. */
  expect(numbers: readonly number[]): void {
    for (const number of numbers) this.byNumber.set(number, new Set());
    for (const number of this.byNumber.keys()) {
      if (this.byNumber.size <= MAX_MESSAGES) return;
      this.byNumber.delete(number);
    }
  }

  record(processId: string, numbers: readonly number[]): void {
    for (const number of numbers) this.byNumber.get(number)?.add(processId);
    for (const check of this.waiters) check();
  }

  /**
   * Waits until all processes have acknowledged all messages, and removes the messages.
   *
   * @returns how many processes had done so, after `timeoutMs` at the latest
   */
  async wait(numbers: readonly number[], processIds: readonly string[], timeoutMs: number): Promise<number> {
    const sets = numbers.map((number) => this.byNumber.get(number));
    const acknowledged = () => processIds.filter((id) => sets.every((set) => set?.has(id))).length;
    await this.until(() => acknowledged() === processIds.length, timeoutMs);
    for (const number of numbers) this.byNumber.delete(number);
    return acknowledged();
  }

  private async until(done: () => boolean, timeoutMs: number): Promise<void> {
    if (done()) return;
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.waiters.delete(check);
        resolve();
      };
      const check = () => {
        if (done()) finish();
      };
      const timer = setTimeout(finish, timeoutMs);
      this.waiters.add(check);
    });
  }
}
