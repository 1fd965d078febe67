import { AppConfig } from '@app/config/app-config';
import { listenOn } from '@app/connections/listen-on';
import { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import { RELEASE } from '@app/database/schema/release';
import { OperationWatch } from '@app/operations/operation-watch';
import { JobHandlers } from '@app/queue/job-handler';
import { WEBHOOK_QUEUE } from '@app/queue/jobs';
import { InjectQueue } from '@nestjs/bullmq';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Queue } from 'bullmq';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QueueWatch } from '../housekeeping/queue-watch';
import { WorkerMetrics } from '../telemetry/worker-metrics';

const READY_MS = 2_000;

interface ClientResponse {
  status: number;
  contentType?: string;
  body: object | string;
}

/**
 * Reports the worker's health to an orchestrator, on `WORKER_HEALTH_PORT`: `/healthz` which release it is and whether it takes the jobs that wait in each queue,
 * `/readyz` whether its database is migrated, takes writes and has room on its disk, and its queues respond and hand out jobs; and serves Prometheus on
 * `/metrics`.
 */
@Injectable()
export class HealthServer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(HealthServer.name);
  private server: Server | null = null;

  constructor(
    private readonly config: AppConfig,
    private readonly watch: QueueWatch,
    private readonly handlers: JobHandlers,
    private readonly database: DatabaseServerRepository,
    @InjectQueue(WEBHOOK_QUEUE) private readonly queue: Queue,
    private readonly metrics: WorkerMetrics,
    private readonly operation: OperationWatch,
  ) {}

  /** Where it listens; null when it does not. */
  get port(): number | null {
    return (this.server?.address() as AddressInfo | null)?.port ?? null;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { workerHealthPort: port, host } = this.config;
    if (port === undefined) return;
    this.server = createServer((request, response) => {
      void this.healthResponse(request.url ?? '').then(
        ({ status, contentType = 'application/json', body }) => {
          const text = typeof body === 'string' ? body : JSON.stringify(body);
          response.writeHead(status, { 'content-type': contentType }).end(text);
        },
        (error: Error) => response.destroy(error),
      );
    });
    await listenOn(this.server, { port, host }, 'WORKER_HEALTH_PORT');
    this.logger.log(`Health on ${host}:${this.port}`);
  }

  beforeApplicationShutdown(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async healthResponse(path: string): Promise<ClientResponse> {
    if (path === '/healthz') return this.health();
    if (path === '/readyz') return this.readiness();
    if (path === '/metrics') return this.sendMetrics();
    return { status: 404, body: { status: 'not_found', accepted: ['/healthz', '/readyz', '/metrics'] } };
  }

  private async sendMetrics(): Promise<ClientResponse> {
    const metrics = this.metrics.get();
    return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
  }

  private health(): ClientResponse {
    const states = [...this.watch.states()];
    const queues = states.map(([queue, { waiting, idleMs, isStuck }]) => ({
      queue,
      status: isStuck ? 'stuck' : 'ok',
      waiting,
      idle_secs: Math.round(idleMs / 1_000),
    }));
    const isStuck = states.some(([, state]) => state.isStuck);
    return { status: isStuck ? 503 : 200, body: { status: isStuck ? 'stuck' : 'ok', ...RELEASE, queues } };
  }

  private async readiness(): Promise<ClientResponse> {
    const [database, queue] = await Promise.all([
      responds(this.database.requireMigrated().then(async () => this.operation.requireServing())),
      responds(this.queue.getWaitingCount()),
    ]);
    const takesJobs = !this.handlers.list().some((handler) => handler.isRefused);
    const isReady = database && queue && takesJobs;
    return {
      status: isReady ? 200 : 503,
      body: { status: isReady ? 'ready' : 'not_ready', database, queue: queue && takesJobs },
    };
  }
}

async function responds(check: Promise<unknown>): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), READY_MS).unref();
  });
  const answered = check.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]);
}
