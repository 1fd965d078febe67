import { AppConfig } from '@app/config/app-config';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The time between being asked to stop and stopping. `/readyz` answers 503, so that a load balancer sends new requests
 * elsewhere; what still comes is served, and every answer ends its connection, so that none is left that could be used at
 * the very moment of the end.
 */
@Injectable()
export class Drain {
  isUnderWay = false;
  private readonly logger = new Logger(Drain.name);

  constructor(private readonly config: AppConfig) {}

  /** Must run before routes are registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (_request, reply, done) => {
      if (this.isUnderWay) void reply.header('connection', 'close');
      done();
    });
  }

  /** Resolves when the process may stop. */
  async run(): Promise<void> {
    this.isUnderWay = true;
    if (this.config.drainSecs === 0) return;
    this.logger.log(`Asked to stop; serving on for ${this.config.drainSecs} s`);
    await sleep(this.config.drainSecs * 1_000);
  }
}
