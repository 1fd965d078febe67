import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  atMs: number;
}

type ClientResponse = (response: ServerResponse, webhook: ReceivedWebhook) => void;

/** A customer's server: keeps what it receives and responds as a test says. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  answer: ClientResponse = (response) => response.end('thank you');
  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '', headers } = request;
        const webhook = { path, headers, body: Buffer.concat(chunks).toString(), atMs: Date.now() };
        receiver.received.push(webhook);
        receiver.answer(response, webhook);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  /** Where a test's own webhooks go. */
  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  at(path: string): ReceivedWebhook[] {
    return this.received.filter((webhook) => webhook.path === path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
