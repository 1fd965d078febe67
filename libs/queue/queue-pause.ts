import type { Queue } from 'bullmq';

/** Pauses a queue in its backend, or resumes it. False when it was so already. */
export async function setPaused(queue: Queue, isPaused: boolean): Promise<boolean> {
  if ((await queue.isPaused()) === isPaused) return false;
  await (isPaused ? queue.pause() : queue.resume());
  return true;
}
