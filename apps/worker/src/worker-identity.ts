import { hostname } from 'node:os';

/** How this process signs what it does to a review. */
export const WORKER_ACTOR = `worker ${hostname()}/${process.pid}`;
