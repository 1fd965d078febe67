import { AppConfig } from '@app/config/app-config';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The time between the signal to stop and stopping. `/readyz` responds 503, so that a load balancer sends new requests
 * elsewhere; what still comes is served, and every response ends its connection, so that none is left that could be used at
 * the very moment of the end. One that was under way already ends its connection as well: the process does not wait until the
 * client does.
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
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      this.unfinished.add(response);
      response.once('close', () => {
        this.unfinished.delete(response);
        // Its head may have been sent before the stop. Node's `closeIdleConnections` would cut off what is still being sent.
        if (this.isUnderWay && this.on(socket).length === 0) socket.end();
      });
      if (this.isUnderWay) this.endConnectionWith(response);
    });
  }

  /** Resolves when the process may stop. */
  async run(): Promise<void> {
    this.isUnderWay = true;
    for (const response of this.unfinished) this.endConnectionWith(response);
    if (this.config.drainSecs === 0) return;
    this.logger.log(`Stopping; continues to serve for ${this.config.drainSecs} s`);
    await sleep(this.config.drainSecs * 1_000);
  }

  /** In place of those before it that wait on the same connection: a request that was sent behind another is served as well. */
  private endConnectionWith(response: ServerResponse): void {
    const waiting = this.on(response.req.socket).filter(({ headersSent }) => !headersSent);
    for (const one of waiting) one.removeHeader('connection');
    waiting.at(-1)?.setHeader('connection', 'close');
  }

  /** Unfinished responses of a connection, in their order. */
  private on(socket: Socket): ServerResponse[] {
    return [...this.unfinished].filter(({ req }) => req.socket === socket);
  }
}
