import { ReviewFlowRepository } from '@app/database/reviews/review-flow.repository';
import { OperationWatch } from '@app/operations/operation-watch';
import { JobHandlers } from '@app/queue/job-handler';
import { QUEUE_NAMES } from '@app/queue/jobs';
import { countJobs, nextJobSince, waitingFor } from '@app/queue/queue-counts';
import { describeBuild } from '@app/telemetry/build-info';
import { Metrics, type Sample } from '@app/telemetry/metrics';
import { countPoolConnections } from '@app/telemetry/pool-connections';
import { getQueueToken } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Queue } from 'bullmq';
import { DataSource } from 'typeorm';
import { ReviewService } from '../review/review.service';
import { DeliveryMetrics } from '../deliveries/delivery-metrics';

/** States of a review that no customer waits for any more. */
const FAILED = 'stalled';

/**
 * What a worker reports to Prometheus: its own reviews, and how far the whole installation is behind. Every worker says the
 * same about the latter, so take the greatest and not the sum.
 */
@Injectable()
export class WorkerMetrics {
  private metrics: Metrics | null = null;

  constructor(
    private readonly reviews: ReviewService,
    private readonly flow: ReviewFlowRepository,
    private readonly modules: ModuleRef,
    private readonly handlers: JobHandlers,
    private readonly deliveries: DeliveryMetrics,
    private readonly operation: OperationWatch,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** The metrics; nothing is measured before the first scrape. */
  get(): Metrics {
    this.metrics ??= this.describe(new Metrics());
    return this.metrics;
  }

  private describe(metrics: Metrics): Metrics {
    metrics.histogram(
      'greenroom_review_duration_seconds',
      'Time from taking a review to its outcome in this process.',
      () =>
        Object.entries(this.reviews.durations).map(([outcome, distribution]) => ({
          labels: { outcome },
          distribution,
        })),
    );
    metrics.gauge(
      'greenroom_queue_jobs',
      'Jobs of each queue by state; reviews that wait for their turn are waiting.',
      () => this.readQueues(),
    );
    metrics.gauge(
      'greenroom_queue_wait_seconds',
      'How long the job that is next in each queue has been waiting, 0 without any.',
      () => this.readWaits(),
    );
    metrics.counter(
      'greenroom_jobs_overdue_total',
      'Jobs that this process abandoned because they did not end within their deadline.',
      () => this.handlers.list().map(({ jobName: job, overdue }) => ({ labels: { job }, value: overdue })),
    );
    metrics.gauge(
      'greenroom_outbox_lag_seconds',
      'Age of the oldest job that no queue has yet and that waits for no turn, 0 without any.',
      async () => [{ value: (await this.flow.getOutboxLag()).oldestSecs }],
    );
    metrics.gauge('greenroom_reviews_open', 'Reviews that are not done, by state.', async () =>
      (await this.flow.countOpenStates()).map(({ state, reviews }) => ({
        labels: { state },
        value: reviews,
      })),
    );
    metrics.gauge(
      'greenroom_oldest_review_seconds',
      'How long the review that was requested longest ago has been waiting, 0 without any.',
      () => this.readOldestReview(),
    );
    metrics.gauge(
      'greenroom_dead_letters',
      'Reviews that failed after their last attempt and wait for a person.',
      async () => {
        const states = await this.flow.countOpenStates();
        return [{ value: states.find(({ state }) => state === FAILED)?.reviews ?? 0 }];
      },
    );
    this.operation.describe(metrics);
    this.deliveries.describe(metrics);
    countPoolConnections(metrics, this.dataSource);
    describeBuild(metrics);
    return metrics;
  }

  private async readQueues(): Promise<Sample[]> {
    const reviews = (await this.flow.countOpenStates()).map((open) => ({ ...open, since: null }));
    return this.eachQueue(async (queue) => {
      const { waiting: inQueue, delayed, active, failed } = await countJobs(queue);
      const { waiting } = waitingFor(queue.name, { waiting: inQueue, since: null }, reviews);
      return Object.entries({ waiting, delayed, active, failed }).map(([state, value]) => ({
        labels: { queue: queue.name, state },
        value,
      }));
    });
  }

  private async readWaits(): Promise<Sample[]> {
    return this.eachQueue(async (queue) => {
      const since = await nextJobSince(queue);
      const secs = since === null ? 0 : Math.max(0, (Date.now() - since.getTime()) / 1_000);
      return [{ labels: { queue: queue.name }, value: secs }];
    });
  }

  private async eachQueue(read: (queue: Queue) => Promise<Sample[]>): Promise<Sample[]> {
    const queues = QUEUE_NAMES.map((name) => this.modules.get<Queue>(getQueueToken(name), { strict: false }));
    return (await Promise.all(queues.map(read))).flat();
  }

  private async readOldestReview(): Promise<Sample[]> {
    const states = await this.flow.listOpenStates();
    const since = states.filter(({ state }) => state !== FAILED).map((open) => open.since.getTime());
    return [{ value: since.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...since)) / 1_000) }];
  }
}
