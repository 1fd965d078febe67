import { AppConfig } from '@app/config/app-config';
import { Injectable, Logger } from '@nestjs/common';
import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The time between the signal to stop and stopping. `/readyz` responds 503, so that a load balancer sends new requests
 * elsewhere; what still comes is served, and every response ends its connection, so that none is left that could be used at
 * the very moment of the end.
 */
@Injectable()
export class Drain {
  isUnderWay = false;
  private readonly logger = new Logger(Drain.name);

  constructor(private readonly config: AppConfig) {}

  /** Resolves when the process may stop. */
  async run(server: Server): Promise<void> {
    this.isUnderWay = true;
    server.prependListener('request', (_request, response: ServerResponse) =>
      response.setHeader('connection', 'close'),
    );
    if (this.config.drainSecs === 0) return;
    this.logger.log(`Stopping; continues to serve for ${this.config.drainSecs} s`);
    await sleep(this.config.drainSecs * 1_000);
  }
}
