import { RepeatedWarnings } from '@app/connections/repeated-warnings';
import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { UnrecoverableError, WaitingError, type Job } from 'bullmq';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineError, withDeadline } from './deadline';
import { JobRequests } from './job-requests';
import { JOB_NAMES, jobRow, type JobName, type JobPayload } from './jobs';
import { WorkerStoppingError } from './worker-stopping.error';

/** Time to stop waiting for a job that does not come; more only passes when the backend is away. */
const IDLE_STOP_MS = 1_000;

/**
 * Handles one kind of job. A subclass is a `@Processor` of the job's queue with `autorun: false`; `JobHandlers` starts its
 * worker when the whole application is ready, and stops it.
 *
 * `handle` throws to have the job tried again, and throws BullMQ's `UnrecoverableError` to end it as failed. `signal`
 * aborts at the deadline of the job table, with a `DeadlineError`; a job that has not ended by then has failed like one that
 * throws, and its slot is free, regardless of what its code still waits for. A job of several steps calls `nextStep` after each, and has
 * the whole time for the next one. `signal` also aborts when the worker stops, with a `WorkerStoppingError`: what the job then
 * throws does not count as an attempt, and another worker takes it at once.
 */
export abstract class JobHandler<N extends JobName = JobName> extends WorkerHost {
  abstract readonly jobName: N;
  /** Jobs that it handles at the same time. */
  abstract readonly concurrency: number;
  /** How long running jobs may take to end when the worker stops, before they are handed back. */
  abstract readonly stopGraceMs: number;
  /** Jobs that were abandoned at their deadline, since the process started. */
  overdue = 0;
  protected readonly logger = new Logger(this.constructor.name);
  private readonly stopping = stopOfAll();
  private readonly warnings = new RepeatedWarnings((message) => this.logger.warn(message));
  private requests: JobRequests | null = null;
  private active = 0;
  private quieting: Promise<void> | null = null;

  /** Whether it handles a job right now. */
  get isBusy(): boolean {
    return this.active > 0;
  }

  /** Whether it takes nothing new because it was stopped. */
  get isQuiet(): boolean {
    return this.quieting !== null;
  }

  /** Whether its queue has failed to say which job is next, at the last request. */
  get isRefused(): boolean {
    return this.requests?.areFailing ?? false;
  }

  protected abstract handle(
    payload: JobPayload<N>,
    signal: AbortSignal,
    nextStep: () => void,
  ): Promise<string>;

  override async process(job: Job<JobPayload<N>>, token?: string): Promise<string> {
    if (job.name !== this.jobName) throw new UnrecoverableError(`No handler for job "${job.name}".`);
    const { signal } = this.stopping;
    this.active += 1;
    try {
      signal.throwIfAborted();
      return await withDeadline(this.deadlineMs, signal, (stop, nextStep) =>
        this.handle(job.data, stop, nextStep),
      );
    } catch (error) {
      if (signal.aborted) await this.handBack(job, token);
      if (error instanceof DeadlineError) this.reportOverdue(job, error);
      throw error;
    } finally {
      this.active -= 1;
    }
  }

  /** @throws WaitingError always: the job waits again, or will when its lock has ended */
  private async handBack(job: Job, token?: string): Promise<never> {
    await job.moveToWait(token).catch((error: Error) => this.onWorkerError(error));
    throw new WaitingError();
  }

  /** The longest that a step of a job may hold its slot. */
  protected get deadlineMs(): number {
    return jobRow(this.jobName).deadlineMs;
  }

  private reportOverdue(job: Job, { message }: DeadlineError): void {
    this.overdue += 1;
    this.logger.error(`Job ${job.name} failed: ${message}`, { job: job.id, attempt: job.attemptsMade + 1 });
  }

  /** Begins to take jobs, as soon as the queue's backend responds. */
  async start(): Promise<void> {
    await this.worker.waitUntilReady();
    this.worker.concurrency = this.concurrency;
    this.requests = new JobRequests(this.worker);
    void this.worker.run().catch((error: Error) => this.logger.error(`Worker ended: ${error.message}`));
  }

  /** Takes no further job, and leaves those that run alone; or takes jobs again. */
  async setQuiet(isQuiet: boolean): Promise<void> {
    if (isQuiet === this.isQuiet) return;
    // Not awaited: it settles when the running jobs have ended.
    if (isQuiet) this.quieting = this.worker.pause().catch((error: Error) => this.onWorkerError(error));
    else {
      // BullMQ (6.7.0) lets a paused worker wait for jobs again only when the running ones have ended. One on PostgreSQL that
      // is resumed before would never wait, and query without a pause. Not awaited: it settles when Redis responds.
      const reconnecting = this.worker.getBackend().reconnectBlocking();
      reconnecting.catch((error: Error) => this.onWorkerError(error));
      await this.worker.resume();
      this.quieting = null;
    }
  }

  /**
   * Takes no further job and waits for the running ones; hands them back when they take longer than `stopGraceMs`. After twice
   * that they are left, and another worker takes them when their locks have ended.
   */
  async stop(): Promise<void> {
    // Not close(): with running jobs or Redis away it can wait for ever, and cannot be forced any more.
    const paused = (this.quieting ?? this.worker.pause()).then(
      () => true,
      () => true,
    );
    const isPausedWithin = (ms: number) => Promise.race([paused, sleep(ms, false, { ref: false })]);
    if (!(await isPausedWithin(this.isBusy ? this.stopGraceMs : IDLE_STOP_MS)) && this.isBusy) {
      this.stopping.abort(new WorkerStoppingError());
      await isPausedWithin(this.stopGraceMs);
    }
    await this.worker.close(true);
  }

  /** The worker reconnects after a lost connection; without a listener it would be reported as unhandled. */
  @OnWorkerEvent('error')
  onWorkerError(error: Error): void {
    this.warnings.warn(`Worker: ${error.message}`);
  }
}

/** As many jobs listen to it as run at the same time. */
function stopOfAll(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}

/**
 * The job handlers of this process: they start and stop together. Refuses to start one in which a job of the job table has
 * no handler, or two.
 */
@Injectable()
export class JobHandlers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(private readonly discovery: DiscoveryService) {}

  list(): JobHandler[] {
    return this.discovery
      .getProviders()
      .map((provider): unknown => provider.instance)
      .filter((instance) => instance instanceof JobHandler);
  }

  /** Lets all of them take nothing new, or take jobs again. */
  async setQuiet(isQuiet: boolean): Promise<void> {
    await Promise.all(this.list().map((handler) => handler.setQuiet(isQuiet)));
  }

  async onApplicationBootstrap(): Promise<void> {
    checkHandlers(this.list());
    await Promise.all(this.list().map((handler) => handler.start()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.list().map((handler) => handler.stop()));
  }
}

/** @throws Error naming every job whose handlers are not exactly one */
export function checkHandlers(handlers: Pick<JobHandler, 'jobName'>[]): void {
  const problems = JOB_NAMES.flatMap((name) => {
    const mine = handlers.filter((handler) => handler.jobName === name);
    if (mine.length === 1) return [];
    const found = mine.map((handler) => handler.constructor.name).join(' and ') || 'none';
    return [`Job "${name}" needs exactly one handler, found ${found}.`];
  });
  if (problems.length > 0) throw new Error(problems.join(' '));
}
