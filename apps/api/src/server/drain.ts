import { AppConfig } from '@app/config/app-config';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often connections are looked for that have become idle after the server has begun to close. */
const IDLE_CHECK_MS = 100;

/**
 * The time between the signal to stop and stopping. `/readyz` responds 503, so that a load balancer sends new requests
 * elsewhere; what still comes is served, and every response ends its connection, so that none is left that could be used at
 * the very moment of the end. One that was under way already ends its connection as well, or leaves it idle and then closed: the
 * process does not wait until a client does that.
 */
@Injectable()
export class Drain implements OnApplicationBootstrap {
  isUnderWay = false;
  private readonly logger = new Logger(Drain.name);
  private readonly unfinished = new Set<ServerResponse>();

  constructor(
    private readonly config: AppConfig,
    private readonly adapter: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    const server = this.adapter.httpAdapter.getHttpServer() as Server;
    server.prependListener('request', (_request, response: ServerResponse) => {
      this.unfinished.add(response);
      response.once('close', () => this.unfinished.delete(response));
      if (this.isUnderWay) this.endConnectionWith(response);
    });
  }

  /** Resolves when the process may stop. */
  async run(server: Server): Promise<void> {
    this.isUnderWay = true;
    for (const response of this.unfinished) this.endConnectionWith(response);
    const { drainSecs } = this.config;
    if (drainSecs > 0) {
      this.logger.log(`Stopping; continues to serve for ${drainSecs} s`);
      await sleep(drainSecs * 1_000);
    }
    setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS).unref();
  }

  /** In place of those before it that wait on the same connection: a request that was sent behind another is served as well. */
  private endConnectionWith(response: ServerResponse): void {
    for (const other of this.unfinished)
      if (other !== response && other.req.socket === response.req.socket && !other.headersSent)
        other.removeHeader('connection');
    if (!response.headersSent) response.setHeader('connection', 'close');
  }
}
