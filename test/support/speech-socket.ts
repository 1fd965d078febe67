import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface SocketMessage {
  audio?: string | null;
  isFinal?: boolean | null;
  contextId?: string;
  alignment?: { chars: string[]; charStartTimesMs: number[]; charDurationsMs: number[] } | null;
  normalizedAlignment?: SocketMessage['alignment'];
  error?: string;
  message?: string;
  code?: number;
}

/** A speech socket as a program opens it, with everything that it has received. */
export class SpeechSocketClient {
  readonly received: (SocketMessage & { atMs: number })[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(readonly webSocket: WebSocket) {
    webSocket.on('message', (data: Buffer) => {
      this.received.push({ ...(JSON.parse(data.toString()) as SocketMessage), atMs: performance.now() });
    });
    webSocket.on('error', () => undefined);
    this.closed = once(webSocket, 'close').then(([code, reason]) => ({
      code: code as number,
      reason: String(reason),
    }));
  }

  /** Resolves when it is open. Rejects with status and body when the handshake is refused. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<SpeechSocketClient> {
    const webSocket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    const client = new SpeechSocketClient(webSocket);
    await new Promise<void>((resolve, reject) => {
      webSocket.once('open', resolve);
      webSocket.once('error', reject);
      webSocket.once('unexpected-response', (_request, response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body = Buffer.concat(chunks).toString();
          reject(
            new HandshakeRefused(response.statusCode ?? 0, JSON.parse(body) as HandshakeRefused['body']),
          );
        });
      });
    });
    return client;
  }

  send(...messages: object[]): this {
    for (const message of messages) this.webSocket.send(JSON.stringify(message));
    return this;
  }

  get audio(): Buffer {
    return this.audioOf(undefined);
  }

  audioOf(contextId: string | undefined): Buffer {
    const own = this.received.filter((message) => contextId === undefined || message.contextId === contextId);
    return Buffer.concat(own.map(({ audio }) => Buffer.from(audio ?? '', 'base64')));
  }

  get error(): SocketMessage | undefined {
    return this.received.find(({ error }) => error !== undefined);
  }
}

export class HandshakeRefused extends Error {
  constructor(
    readonly status: number,
    readonly body: { detail: { code: string } & { loc: string[] }[] },
  ) {
    super(`The handshake was refused: ${status} ${JSON.stringify(body)}`);
  }
}
