/**
 * Reads once for all who ask for the same in one turn of the event loop. Each gets what was read after its request; a failure is
 * that of all of them.
 */
export class SharedReads<T> {
  private readonly waiting = new Map<string, Promise<T>>();

  /** @param name says what is read: two reads of the same name are the same */
  async read(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.waiting.get(name);
    if (known) return known;
    const shared = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.waiting.delete(name);
      return read();
    });
    this.waiting.set(name, shared);
    return shared;
  }
}
