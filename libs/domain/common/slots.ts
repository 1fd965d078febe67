/** A task that found no slot in time, and did not begin. */
export class WaitedTooLongError extends Error {
  constructor(waitMs: number) {
    super(`No slot within ${waitMs} ms.`);
  }
}

/** Lets a fixed number of tasks run at a time; the others wait in order. */
export class Slots {
  private readonly waiting: (() => void)[] = [];

  /** @param waitMs how long a task waits at most; without it, as long as it takes */
  constructor(
    private free: number,
    private readonly waitMs?: number,
  ) {}

  /** @throws WaitedTooLongError */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await this.turn();
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }

  private async turn(): Promise<void> {
    const { waitMs } = this;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.push(begin);
      if (waitMs === undefined) return;
      timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        reject(new WaitedTooLongError(waitMs));
      }, waitMs);
    });
  }
}

/** Slots of their own for every owner. */
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

  /** @throws WaitedTooLongError */
  async run<T>(owner: string, task: () => Promise<T>): Promise<T> {
    const own = this.owners.get(owner) ?? { slots: new Slots(this.each, this.waitMs), tasks: 0 };
    this.owners.set(owner, own);
    own.tasks++;
    try {
      return await own.slots.run(task);
    } finally {
      own.tasks--;
      if (own.tasks === 0) this.owners.delete(owner);
    }
  }
}
