import { threadTimeNs } from '@app/domain/common/processor-time';
import { readFileSync } from 'node:fs';
import type { Piscina } from 'piscina';
import type { Transferable } from 'node:worker_threads';
import { AudioTaskStarvedError, AudioTaskTimeoutError } from './audio-threads.error';

const CHECK_EVERY_MS = 100;
/** So long a task that can be stopped may take to end. */
const STOPS_WITHIN_MS = 1_000;
const NS_PER_MS = 1_000_000n;

/** Where a thread notes its number, and its processor time before the task, in ns; and reads whether it is to stop, by another number than 0. */
interface Timed {
  clock?: BigInt64Array;
}

const [THREAD, BEFORE, STOP] = [0, 1, 2];

interface TimedRun {
  name: string;
  transferList: Transferable[];
  /** Time of the processor; by the clock where the system does not say how much a thread gets. */
  limitMs: number;
  /** By the clock, whatever the thread gets. */
  longestMs: number;
  signal?: AbortSignal;
  /** Whether the task ends soon after its `isStopped`; another is ended with its thread, and the next waits until a new one has started. */
  canStop?: boolean;
}

/** Makes a function of a thread one that `runInTime` can run. */
export function timed<Task extends object, T>(run: (task: Task, isStopped: () => boolean) => Promise<T>) {
  return async (task: Task & Timed): Promise<T> => {
    if (task.clock && process.platform === 'linux') {
      const thread = BigInt(/^\d+/.exec(readFileSync('/proc/thread-self/stat', 'utf8'))![0]);
      Atomics.store(task.clock, BEFORE, threadTimeNs(thread) ?? 0n);
      Atomics.store(task.clock, THREAD, thread);
    }
    return run(task, () => task.clock !== undefined && Atomics.load(task.clock, STOP) !== 0n);
  };
}

/**
 * Runs a task in a thread of a pool, and ends it with its thread when it has used too much time of a processor. A machine that is
 * busy gives the thread little of it, which is not the task's.
 *
 * @throws AudioTaskTimeoutError when the task used more than its limit; AudioTaskStarvedError when it did not get so much in time
 * @throws the signal's reason when it aborts; what the pool throws
 */
export async function runInTime<T>(
  pool: Piscina,
  task: object,
  { name, transferList, limitMs, longestMs, signal, canStop = false }: TimedRun,
): Promise<T> {
  signal?.throwIfAborted();
  const clock = new BigInt64Array(new SharedArrayBuffer(24));
  const startedAtMs = performance.now();
  const stop = new AbortController();
  const timer = setInterval(() => {
    const tookMs = performance.now() - startedAtMs;
    const thread = Atomics.load(clock, THREAD);
    const isWaiting = thread === 0n && process.platform === 'linux';
    const used = threadTimeNs(thread);
    const usedMs = used === null ? tookMs : Number((used - Atomics.load(clock, BEFORE)) / NS_PER_MS);
    if (usedMs >= limitMs && !isWaiting) stop.abort(new AudioTaskTimeoutError(limitMs));
    else if (tookMs >= longestMs) stop.abort(new AudioTaskStarvedError(limitMs, longestMs));
  }, CHECK_EVERY_MS);
  let ending: NodeJS.Timeout | undefined;
  const end = () => {
    Atomics.store(clock, STOP, 1n);
    if (canStop) ending = setTimeout(() => stop.abort(signal?.reason), STOPS_WITHIN_MS);
    else stop.abort(signal?.reason);
  };
  signal?.addEventListener('abort', end, { once: true });
  try {
    const result = (await pool.run({ ...task, clock }, { name, transferList, signal: stop.signal })) as T;
    signal?.throwIfAborted();
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(timer);
    clearTimeout(ending);
    signal?.removeEventListener('abort', end);
  }
}
