import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';

const CHECK_EVERY_MS = 200;

/**
 * What stands before several apis: it sends requests to those that say they are ready, over connections that it keeps. It
 * never tries a request again, so the caller sees every one that was lost.
 */
export class Balancer {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server = createServer((request, response) => this.pass(request, response));
  private readonly ready = new Set<string>();
  private readonly checks: NodeJS.Timeout;
  private turn = 0;

  private constructor(private readonly apiUrls: string[]) {
    this.checks = setInterval(() => void this.check(), CHECK_EVERY_MS);
  }

  static async before(apiUrls: string[]): Promise<Balancer> {
    const balancer = new Balancer(apiUrls);
    balancer.server.listen(0, '127.0.0.1');
    await once(balancer.server, 'listening');
    await balancer.check();
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  async stop(): Promise<void> {
    clearInterval(this.checks);
    this.server.closeAllConnections();
    this.server.close();
    this.agent.destroy();
    await once(this.server, 'close');
  }

  private async check(): Promise<void> {
    for (const url of this.apiUrls) {
      const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) this.ready.add(url);
      else this.ready.delete(url);
    }
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const ready = [...this.ready];
    const target = ready[this.turn++ % ready.length];
    if (!target) return void response.writeHead(502).end('no api is ready');
    const { hostname, port } = new URL(target);
    const { connection: _, ...headers } = request.headers;
    const { method, url: path } = request;
    const onward = httpRequest({ hostname, port, method, path, headers, agent: this.agent }, (answer) => {
      response.writeHead(answer.statusCode!, { 'content-type': answer.headers['content-type'] ?? '' });
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    onward.on('error', (error) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end(error.message);
    });
    request.pipe(onward);
  }
}
