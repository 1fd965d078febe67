import { ApiLoadRepository } from '@app/database/common/api-load.repository';
import { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

const REPORT_EVERY_MS = 2_000;
/** What a credential, its permissions, its address, its credits or its limits do not allow. */
const REFUSED: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** Reports how much this process serves: two numbers in memory, reported every two seconds. */
@Injectable()
export class ProcessReport {
  private readonly logger = new Logger(ProcessReport.name);
  private readonly id = randomUUID();
  private readonly served = { requests: 0, refusals: 0 };
  private reported = { requests: 0, refusals: 0, at: performance.now() };
  private reporting: Promise<void> | null = null;
  private isFailing = false;

  constructor(
    private readonly processes: ApiLoadRepository,
    private readonly database: DatabaseServerRepository,
  ) {}

  /** Counts a request that has its response. */
  readonly count = (_request: FastifyRequest, { statusCode }: FastifyReply): void => {
    this.served.requests += 1;
    if (REFUSED.has(statusCode)) this.served.refusals += 1;
  };

  /** Reports until the server is closed. */
  reportUntilClosed(fastify: FastifyInstance): void {
    let timer: NodeJS.Timeout | undefined;
    fastify.addHook('onListen', () => {
      timer = setInterval(() => void this.report(), REPORT_EVERY_MS).unref();
    });
    fastify.addHook('onClose', async () => {
      clearInterval(timer);
      await this.reporting;
      await this.processes.remove(this.id).catch(() => undefined);
    });
  }

  /** One report at a time; a database that does not respond costs a report, not a request. */
  private async report(): Promise<void> {
    this.reporting ??= this.send().finally(() => (this.reporting = null));
    await this.reporting;
  }

  private async send(): Promise<void> {
    const now = { ...this.served, at: performance.now() };
    const secs = (now.at - this.reported.at) / 1_000;
    const { requests, refusals } = now;
    try {
      // A process that is heard before a migration is of an earlier release.
      await this.database.requireMigrated();
      await this.processes.report({
        id: this.id,
        name: `api ${hostname()}/${process.pid}`,
        requests,
        refusals,
        requestsPerSec: (requests - this.reported.requests) / secs,
        refusalsPerSec: (refusals - this.reported.refusals) / secs,
      });
      this.reported = now;
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn(`Not reported: ${(error as Error).message}`);
      this.isFailing = true;
    }
  }
}
