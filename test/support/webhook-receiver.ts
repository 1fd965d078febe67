import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
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
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const webhook = { path, headers, body: Buffer.concat(chunks).toString(), atMs: Date.now() };
      this.received.push(webhook);
      this.answer(response, webhook);
    });
  });

  private constructor() {}

  /** One for all tests of a file. */
  static ofFile(): WebhookReceiver {
    const receiver = new WebhookReceiver();
    beforeAll(async () => receiver.listen());
    afterAll(async () => receiver.stop());
    return receiver;
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await receiver.listen();
    return receiver;
  }

  private async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
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
