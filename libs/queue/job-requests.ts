import type { Worker } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';

/** From a request that failed to the next. */
const PAUSE_MS = 1_000;

/**
 * How a worker's requests for its next job end.
 *
 * BullMQ (6.7.0) sends the next request at once when one fails with anything but a refused connection, thousands of times a
 * second. Here it waits.
 */
export class JobRequests {
  /** Whether the latest one has failed. */
  areFailing = false;

  constructor(worker: Worker) {
    const backend = worker.getBackend();
    const moveToActive = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...args) => {
      try {
        const found = await moveToActive(...args);
        this.areFailing = false;
        return found;
      } catch (error) {
        this.areFailing = true;
        await sleep(PAUSE_MS, undefined, { ref: false });
        throw error;
      }
    };
  }
}
