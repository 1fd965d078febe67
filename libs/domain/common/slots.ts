/** Weight of the last task in what is learned of how long one takes. */
const LEARNING_RATE = 0.25;
const LONGEST_RETRY_SECS = 30;

/** A task that found no slot in time, or would have found none, and did not begin. */
export class WaitedTooLongError extends Error {
  /** When to try again. */
  readonly retryAfterSecs: number;

  /** @param expectedMs what a task like it may expect to wait now */
  constructor(waitMs: number, expectedMs: number) {
    super(`No slot within ${waitMs} ms.`);
    this.retryAfterSecs = Math.min(LONGEST_RETRY_SECS, Math.max(1, Math.ceil(expectedMs / 2_000)));
  }
}

/** Lets a fixed number of tasks run at a time; the others wait in order. */
export class Slots {
  private readonly waiting: (() => void)[] = [];
  private free: number;
  /** How long a task takes, learned from those that ended. */
  private taskMs = 0;

  /** @param waitMs how long a task waits at most; without it, as long as it takes */
  constructor(
    private readonly count: number,
    private readonly waitMs?: number,
  ) {
    this.free = count;
  }

  /**
   * @param signal ends the wait; the task must listen for itself
   * @throws WaitedTooLongError, at once when the tasks that wait already would take longer than the wait may; the signal's reason
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.turn(signal);
    const startedAtMs = performance.now();
    try {
      return await task();
    } finally {
      this.taskMs += LEARNING_RATE * (performance.now() - startedAtMs - this.taskMs);
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }

  /** How long one more task would wait, going by the last ones. */
  private get expectedMs(): number {
    return ((this.waiting.length + 1) * this.taskMs) / this.count;
  }

  private async turn(signal?: AbortSignal): Promise<void> {
    const { waitMs = Infinity, expectedMs } = this;
    if (expectedMs > waitMs) throw new WaitedTooLongError(waitMs, expectedMs);
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const begin = () => {
        end();
        resolve();
      };
      const leave = (reason: Error) => {
        end();
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        reject(reason);
      };
      const abort = () => leave(signal!.reason as Error);
      const isLate = () => leave(new WaitedTooLongError(waitMs, this.expectedMs));
      const timer = waitMs === Infinity ? undefined : setTimeout(isLate, waitMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.push(begin);
    });
  }
}

/** Separate slots for every owner. */
export class SlotsByOwner {
  private readonly owners = new Map<string, { slots: Slots; tasks: number }>();

  /**
   * @param each how many tasks of one owner run at a time
   * @param waitMs how long a task waits at most
   */
  constructor(
    private readonly each: number,
    private readonly waitMs: number,
  ) {}

  /** @throws WaitedTooLongError; the signal's reason when it aborts before the task begins */
  async run<T>(owner: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const own = this.owners.get(owner) ?? { slots: new Slots(this.each, this.waitMs), tasks: 0 };
    this.owners.set(owner, own);
    own.tasks++;
    try {
      return await own.slots.run(task, signal);
    } finally {
      own.tasks--;
      if (own.tasks === 0) this.owners.delete(owner);
    }
  }
}
