import type { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Switches the sign-in library's AsyncLocalStorages off whenever no sign-in runs. Before Node 24, one that has been
 * used once makes every promise of the process dearer until it is disabled, and with it every request of a customer.
 */
export class AsyncStorages {
  private inUse = 0;

  /** @param own a storage of ours that is used together with the library's */
  constructor(private readonly own: AsyncLocalStorage<unknown>) {}

  /** Runs something that needs the storages. */
  async using<T>(run: () => Promise<T>): Promise<T> {
    this.inUse += 1;
    try {
      return await run();
    } finally {
      this.inUse -= 1;
      const storages = await this.all();
      if (this.inUse === 0) for (const storage of storages) storage.disable();
    }
  }

  private async all(): Promise<AsyncLocalStorage<unknown>[]> {
    const library = await import('@better-auth/core/context');
    const storages = await Promise.all([
      library.getRequestStateAsyncLocalStorage(),
      library.getCurrentAuthContextAsyncLocalStorage(),
      library.getCurrentDBAdapterAsyncLocalStorage(),
    ]);
    return [this.own, ...storages] as AsyncLocalStorage<unknown>[];
  }
}
