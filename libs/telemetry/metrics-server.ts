import { listenOn } from '@app/connections/listen-on';
import { Logger } from '@nestjs/common';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics';

type Source = Pick<Metrics, 'text' | 'contentType'>;

/** Serves `GET /metrics` on a separate port, which is for Prometheus and not for customers: it needs no credential. */
export class MetricsServer {
  private readonly server: Server;

  private constructor(metrics: Source) {
    this.server = createServer((request, response) => {
      if (request.url === '/metrics')
        notify(metrics, response).catch((error: Error) => response.destroy(error));
      else refuse(response);
    });
  }

  /** @throws ConfigError naming METRICS_PORT when the port cannot be had */
  static async start(metrics: Source, port: number, host: string): Promise<MetricsServer> {
    const started = new MetricsServer(metrics);
    await listenOn(started.server, { port, host }, 'METRICS_PORT');
    new Logger('Metrics').log(`Metrics on ${host}:${started.port}`);
    return started;
  }

  /** Where it listens. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

async function notify(metrics: Source, response: ServerResponse): Promise<void> {
  const text = await metrics.text();
  response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
}

function refuse(response: ServerResponse): void {
  const body = JSON.stringify({ status: 'not_found', accepted: ['/metrics'] });
  response.writeHead(404, { 'content-type': 'application/json' }).end(body);
}
