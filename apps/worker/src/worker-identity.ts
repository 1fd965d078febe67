import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** How this process signs what it does to a review. */
export const WORKER_ACTOR = `worker ${hostname()}/${process.pid}`;

/** This worker, among those that there are and have been. */
@Injectable()
export class WorkerIdentity {
  readonly id = randomUUID();
  readonly name = WORKER_ACTOR;
}
