import {
  ReviewFlowRepository,
  type OpenReviews,
  type OutboxLag,
} from '@app/database/reviews/review-flow.repository';
import { QueueCommandRepository, type PauseOrder } from '@app/database/queue/queue-command.repository';
import { WorkerProcessRepository, type RunningReview } from '@app/database/workers/worker-process.repository';
import type { WorkerProcess } from '@app/database/workers/worker-process.entity';
import {
  WebhookEndpointRepository,
  type FailingReceivers,
} from '@app/database/webhooks/webhook-endpoint.repository';
import { jobsOf, QUEUE_NAMES, type JobName } from '@app/queue/jobs';
import { waitingFor } from '@app/queue/queue-counts';
import { Injectable } from '@nestjs/common';
import { QueuePausesService } from '@app/administration/workers/queue-pauses.service';
import type { AuditActor } from '@app/administration/audit/audit-actors';
import { QueueAccess, type QueueFigures } from './queue-access';
import { healthOf, type WorkerHealth } from '@app/domain/reviews/worker-health';

const MAX_RUNNING = 500;

export interface QueueOverview {
  backend: 'redis' | 'postgres';
  queues: QueueRecord[];
  relay: OutboxLag;
  reviews: OpenReviews[];
  receivers: FailingReceivers;
}

/** A queue; without figures when its backend does not respond. */
export interface QueueRecord {
  name: string;
  jobs: JobName[];
  figures: QueueFigures | null;
  /** By whom it is paused, and why; null when it is not, or not by staff. */
  pause: PauseOrder | null;
  error: string | null;
}

export interface WatchedWorker extends WorkerProcess {
  health: WorkerHealth;
  running: RunningReview[];
}

/** What operators see of the queues and do to them. */
@Injectable()
export class QueuesService {
  constructor(
    private readonly access: QueueAccess,
    private readonly flow: ReviewFlowRepository,
    private readonly workers: WorkerProcessRepository,
    private readonly commands: QueueCommandRepository,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly pauses: QueuePausesService,
  ) {}

  async overview(): Promise<QueueOverview> {
    const [commands, reviews] = await Promise.all([this.commands.list(), this.flow.listOpenStates()]);
    const [queues, relay, receivers] = await Promise.all([
      Promise.all(QUEUE_NAMES.map((name) => this.describe(name, commands, reviews))),
      this.flow.getOutboxLag(),
      this.endpoints.getFailing(),
    ]);
    return { backend: this.access.backend, queues, relay, reviews, receivers };
  }

  /** Every worker with what it is at. */
  async listWorkers(): Promise<WatchedWorker[]> {
    const [workers, running] = await Promise.all([
      this.workers.list(),
      this.workers.listRunning(MAX_RUNNING),
    ]);
    const health = healthOf(workers);
    return workers.map(({ silentSecs: _silentSecs, ...worker }) => ({
      ...worker,
      health: health.get(worker.id)!,
      running: running.filter((review) => review.worker === worker.name),
    }));
  }

  /** Pauses a queue: running jobs finish, no other one starts. Or resumes it. The order outlives the queue's backend. */
  async setPaused(actor: AuditActor, queue: string, paused: boolean, reason: string): Promise<QueueRecord> {
    this.access.require(queue);
    const isPaused = () => this.access.isPaused(queue);
    await this.pauses.order(actor, { queue, paused, reason }, isPaused);
    await this.access.setPaused(queue, paused);
    return this.describe(queue, await this.commands.list(), await this.flow.listOpenStates());
  }

  private async describe(name: string, commands: PauseOrder[], reviews: OpenReviews[]): Promise<QueueRecord> {
    const jobs = jobsOf(name);
    const command = commands.find(({ queue }) => queue === name);
    const pause = command?.isPaused ? command : null;
    try {
      const { oldestWaitingAt, ...inQueue } = await this.access.read(name);
      const { waiting, since } = waitingFor(name, { ...inQueue, since: oldestWaitingAt }, reviews);
      const paused = command?.isPaused ?? inQueue.paused;
      return {
        name,
        jobs,
        figures: { ...inQueue, paused, waiting, oldestWaitingAt: since },
        pause,
        error: null,
      };
    } catch (error) {
      return { name, jobs, figures: null, pause, error: (error as Error).message.split('\n')[0]! };
    }
  }
}
