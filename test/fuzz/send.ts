import { Agent, request as httpRequest } from 'node:http';

/** A request as it goes over the wire. */
export interface WireRequest {
  method: string;
  path: string;
  headers: [string, string][];
  body: Uint8Array | null;
}

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  tookMs: number;
}

const HANG_MS = 60_000;

/** Sends requests that a browser's fetch would put right first. */
export class Wire {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(private readonly baseUrl: string) {}

  /** @throws Error when the connection is lost or nothing comes within a minute */
  async send({ method, path, headers, body }: WireRequest): Promise<WireAnswer> {
    const { hostname, port } = new URL(this.baseUrl);
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const request = httpRequest({ hostname, port, method, path, agent: this.agent, timeout: HANG_MS });
      for (const [name, value] of headers) request.setHeader(name, value);
      if (body) request.setHeader('content-length', body.byteLength);
      request.on('response', (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        const finish = () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers as Record<string, string>,
            bytes: Buffer.concat(parts),
            tookMs: performance.now() - startedAt,
          });
        response.on('end', finish);
        // Such an answer only ends when its reader leaves.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          finish();
          request.destroy();
        }
      });
      request.on('timeout', () => request.destroy(new Error(`no answer within ${HANG_MS} ms`)));
      request.on('error', reject);
      request.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
