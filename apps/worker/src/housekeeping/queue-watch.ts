import { type JobHandler, JobHandlers } from '@app/queue/job-handler';
import { jobRow } from '@app/queue/jobs';
import { getQueueToken } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bullmq';
import type { Round } from '../loop';

const STUCK_AFTER_MS = 60_000;

interface QueueState {
  waiting: number;
  /** How long jobs have been waiting without this process starting one or handling one; 0 when none wait. */
  idleMs: number;
  isStuck: boolean;
}

/** One queue, and what this process does with its jobs. */
class WatchedQueue {
  private idleSince: number | null = null;
  private waiting = 0;

  constructor(
    readonly name: string,
    private readonly queue: Queue,
    private readonly handler: JobHandler,
  ) {
    handler.worker.on('active', () => (this.idleSince = null));
  }

  state(nowMs: number): QueueState {
    const idleMs = this.idleSince === null ? 0 : nowMs - this.idleSince;
    return { waiting: this.waiting, idleMs, isStuck: idleMs > STUCK_AFTER_MS };
  }

  /** @throws when the queue cannot be read: then the process is not to blame */
  async check(nowMs: number): Promise<void> {
    try {
      this.waiting = (await this.queue.isPaused()) ? 0 : await this.queue.getWaitingCount();
    } catch (error) {
      this.idleSince = null;
      throw error;
    }
    // A handler is busy only up to the deadline of its jobs.
    const isIdle = this.waiting > 0 && !this.handler.isBusy && !this.handler.isQuiet;
    this.idleSince = isIdle ? (this.idleSince ?? nowMs) : null;
  }
}

/** Watches that this process takes jobs from every queue. A worker can be connected and alive and still not take any. */
@Injectable()
export class QueueWatch {
  /** Settles when this process is found stuck: it should be ended and started again. */
  readonly stuck: Promise<void>;
  private readonly logger = new Logger(QueueWatch.name);
  private reportStuck: () => void;
  private watched: WatchedQueue[] | null = null;

  constructor(
    private readonly handlers: JobHandlers,
    private readonly modules: ModuleRef,
  ) {
    this.stuck = new Promise((resolve) => (this.reportStuck = resolve));
  }

  /** The state of each queue, by name. */
  states(nowMs = performance.now()): Map<string, QueueState> {
    return new Map(this.queues.map((queue) => [queue.name, queue.state(nowMs)]));
  }

  /** The state of the queue whose jobs wait longest. */
  worst(nowMs = performance.now()): QueueState {
    const states = [...this.states(nowMs).values()];
    return states.reduce((worst, state) => (isWorse(state, worst) ? state : worst), {
      waiting: 0,
      idleMs: 0,
      isStuck: false,
    });
  }

  /** @throws when a queue cannot be read; the others are examined all the same */
  async check(nowMs = performance.now()): Promise<Round> {
    const checks = await Promise.allSettled(this.queues.map((queue) => queue.check(nowMs)));
    for (const [queue, { isStuck, ...state }] of this.states(nowMs)) {
      if (!isStuck) continue;
      this.logger.error('Jobs wait and this worker starts none', { queue, ...state });
      this.reportStuck();
    }
    for (const check of checks) if (check.status === 'rejected') throw check.reason;
    return 'idle';
  }

  /** Known once the worker has started: handlers get their workers then. */
  private get queues(): WatchedQueue[] {
    return (this.watched ??= this.handlers.list().map((handler) => {
      const { queue: name } = jobRow(handler.jobName);
      return new WatchedQueue(name, this.modules.get<Queue>(getQueueToken(name), { strict: false }), handler);
    }));
  }
}

function isWorse(one: QueueState, other: QueueState): boolean {
  return one.idleMs === other.idleMs ? one.waiting > other.waiting : one.idleMs > other.idleMs;
}
