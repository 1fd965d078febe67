import { getQueueToken } from '@nestjs/bullmq';
import { AppConfig } from '@app/config/app-config';
import type { INestApplicationContext } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { ApiLoadRepository } from '../../../libs/database/common/api-load.repository';
import { WorkerProcessRepository } from '@app/database/workers/worker-process.repository';
import {
  ReviewFlowRepository,
  type OpenReviews,
} from '../../../libs/database/reviews/review-flow.repository';
import { WebhookEndpointRepository } from '../../../libs/database/webhooks/webhook-endpoint.repository';
import { verdictsOf } from '../../../libs/domain/reviews/queue-verdict';
import { healthOf, type WorkerHealth } from '../../../libs/domain/reviews/worker-health';
import { jobsOf, QUEUE_NAMES } from '../../../libs/queue/jobs';
import { countJobs, nextJobSince, waitingFor } from '../../../libs/queue/queue-counts';

const MAX_RUNNING = 500;
/** Longer than any response of a healthy backend. */
const PATIENCE_MS = 3_000;
const MINUTES = 5;

/** One look at the installation, from the same queries as the console. What could not be read says why. */
export interface TopFigures {
  at: string;
  /** What is wrong, worst first, or that nothing is: what the console begins with. */
  verdicts: string[];
  queues: {
    name: string;
    paused: boolean | null;
    waiting: number | null;
    running: number | null;
    scheduled: number | null;
    failed: number | null;
    oldest_waiting_secs: number | null;
    error: string | null;
  }[];
  workers: {
    name: string;
    state: WorkerHealth | 'quiet';
    running: number;
    slots: number;
    started_secs_ago: number;
  }[];
  reviews: { per_minute: number; failed_per_minute: number; dead_letters: number };
  outbox: { messages: number; oldest_secs: number; waiting_turn: number; scheduled: number; failing: number };
  api: { name: string; requests_per_sec: number; refusals_per_sec: number; requests: number }[];
}

/** @throws the database's error: without it there is nothing to show */
export async function readFigures(services: INestApplicationContext): Promise<TopFigures> {
  const flow = services.get(ReviewFlowRepository);
  const workers = services.get(WorkerProcessRepository);
  const openStates = flow.listOpenStates();
  const [queues, processes, running, buckets, states, lag, apis, receivers] = await Promise.all([
    Promise.all(QUEUE_NAMES.map(async (name) => readQueue(services, name, await openStates))),
    workers.list(),
    workers.listRunning(MAX_RUNNING),
    flow.listBuckets(MINUTES + 1, 1),
    openStates,
    flow.getOutboxLag(),
    services.get(ApiLoadRepository).list(),
    services.get(WebhookEndpointRepository).getFailing(),
  ]);
  const health = healthOf(processes);
  const relay = { messages: lag.messages, oldest_secs: round(lag.oldestSecs), failing: lag.failing };
  const overview = {
    backend: services.get(AppConfig).redisUrl ? 'redis' : 'postgres',
    queues: queues.map((queue) => ({
      ...queue,
      jobs: jobsOf(queue.name),
      reachable: queue.error === null,
      counts: queue.waiting === null ? null : { waiting: queue.waiting },
    })),
    relay: { ...relay, last_error: lag.lastError },
    failing_webhooks: { ...receivers, since: receivers.since?.toISOString() ?? null },
  };
  const watched = processes.map((worker) => ({
    name: worker.name,
    health: health.get(worker.id)!,
    quiet: worker.quietSince && { by: worker.quietBy ?? '', reason: worker.quietReason ?? '' },
    seen_at: worker.seenAt.toISOString(),
    idle_secs: worker.idleMs / 1_000,
  }));
  // The last minute has just begun.
  const whole = buckets.slice(0, -1).slice(-MINUTES);
  const perMinute = (count: (bucket: (typeof whole)[number]) => number) =>
    round(whole.reduce((sum, bucket) => sum + count(bucket), 0) / Math.max(1, whole.length));
  return {
    at: new Date().toISOString(),
    verdicts: verdictsOf(overview, watched).map(({ text }) => text),
    queues,
    workers: processes.map(({ id, name, quietSince, concurrency, startedAt }) => ({
      name,
      state: health.get(id) === 'healthy' && quietSince ? 'quiet' : health.get(id)!,
      running: running.filter(({ worker }) => worker === name).length,
      slots: concurrency,
      started_secs_ago: secsSince(startedAt.getTime()),
    })),
    reviews: {
      per_minute: perMinute(({ completed, rejected }) => completed + rejected),
      failed_per_minute: perMinute(({ failed, stalled }) => failed + stalled),
      dead_letters: states.find(({ state }) => state === 'stalled')?.reviews ?? 0,
    },
    outbox: {
      ...relay,
      waiting_turn: lag.waitingTurn,
      scheduled: lag.scheduled,
    },
    api: apis.map(({ name, requestsPerSec, refusalsPerSec, requests }) => ({
      name,
      requests_per_sec: round(requestsPerSec),
      refusals_per_sec: round(refusalsPerSec),
      requests: Number(requests),
    })),
  };
}

async function readQueue(
  services: INestApplicationContext,
  name: string,
  reviews: OpenReviews[],
): Promise<TopFigures['queues'][number]> {
  const queue = services.get<Queue>(getQueueToken(name), { strict: false });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('does not respond')), PATIENCE_MS);
  });
  try {
    const reads = Promise.all([queue.isPaused(), countJobs(queue), nextJobSince(queue)]);
    const [paused, { active, delayed, failed, ...inQueue }, next] = await Promise.race([reads, late]);
    const { waiting, since } = waitingFor(name, { ...inQueue, since: next }, reviews);
    const oldest = since === null ? null : secsSince(since.getTime());
    return {
      name,
      paused,
      waiting,
      running: active,
      scheduled: delayed,
      failed,
      oldest_waiting_secs: oldest,
      error: null,
    };
  } catch (error) {
    const none = { paused: null, waiting: null, running: null, scheduled: null, failed: null };
    return { name, ...none, oldest_waiting_secs: null, error: (error as Error).message.split('\n')[0]! };
  } finally {
    clearTimeout(timer);
  }
}

function secsSince(ms: number): number {
  return Math.max(0, Math.round((Date.now() - ms) / 1_000));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
