import { isMainThread } from 'node:worker_threads';

/** The exit code of a thread that could not load what it needs ("temporary failure" of sysexits.h). */
export const BROKEN_THREAD_EXIT = 75;

/**
 * Loads a library where it is needed. A pool's thread in which that fails ends, and the pool replaces it: Node remembers a
 * failed import, for example for want of a file descriptor, as long as the thread lives.
 */
export async function loadInThread<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMainThread) process.exit(BROKEN_THREAD_EXIT);
    throw error;
  }
}
