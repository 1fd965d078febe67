import { readFileSync } from 'node:fs';

const NS_PER_MS = 1_000_000;

/**
 * Processor time of a thread of this process in ns, by the first field of its schedstat: what it got, however busy the machine is.
 *
 * @returns null where the system does not say
 */
export function threadTimeNs(thread: number | bigint): bigint | null {
  try {
    return BigInt(/^\d+/.exec(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8'))![0]);
  } catch {
    return null;
  }
}

/** Processor time of the main thread of this process in ms; by the clock where the system does not say. */
export function mainThreadMs(): number {
  const ns = threadTimeNs(process.pid);
  return ns === null ? performance.now() : Number(ns) / NS_PER_MS;
}
