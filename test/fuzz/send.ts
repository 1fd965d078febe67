import { Agent, request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { eventually } from '../support/eventually';
import { RawConnection } from '../support/raw-connection';

/** A request as it goes over the wire. */
export interface WireRequest {
  method: string;
  path: string;
  headers: [string, string][];
  body: Uint8Array | null;
}

export interface WireResponse {
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
  async send({ method, path, headers, body }: WireRequest): Promise<WireResponse> {
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
            bytes: decoded(Buffer.concat(parts), response.headers['content-encoding']),
            tookMs: performance.now() - startedAt,
          });
        response.on('end', finish);
        // Such a response only ends when its reader leaves.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          finish();
          request.destroy();
        }
      });
      request.on('timeout', () => request.destroy(new Error(`no response within ${HANG_MS} ms`)));
      request.on('error', reject);
      request.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Some requests accept a coding. */
function decoded(bytes: Buffer, coding: string | undefined): Buffer {
  if (coding === 'br') return brotliDecompressSync(bytes);
  return coding === 'gzip' ? gunzipSync(bytes) : bytes;
}

/** How a request is put on a connection of its own. */
export const WAYS = ['pipelined', 'unread', 'short length', 'long length'] as const;
export type Way = (typeof WAYS)[number];

/** So many of the same request are written at once. */
const PIPELINED = 5;
/** No more than may wait on a connection. */
const UNREAD = 30;

/** Sends requests as bytes: several at once, or with a length that is not theirs. */
export class RawWire {
  private readonly unread: RawConnection[] = [];

  constructor(private readonly baseUrl: string) {}

  /**
   * The statuses of the responses; none when they stay unread.
   *
   * @throws Error when the server neither responds to everything nor closes the connection
   */
  async send(request: WireRequest, way: Way): Promise<number[]> {
    const connection = await RawConnection.to(this.baseUrl);
    if (way === 'unread') return this.leaveUnread(connection, request);
    const isPipelined = way === 'pipelined' || request.body === null;
    const offBy = way === 'short length' ? -1 : 1;
    connection.send(isPipelined ? toText(request).repeat(PIPELINED) : toText(request, offBy));
    if (!isPipelined && way === 'long length') connection.end();
    const expected = isPipelined ? PIPELINED : way === 'short length' ? 1 : Infinity;
    const responses = () => connection.statuses.filter((status) => status >= 200);
    await eventually(() => respondsOrEnds(connection.isClosed || responses().length >= expected), {
      withinMs: HANG_MS,
    }).finally(() => connection.close());
    return responses();
  }

  private leaveUnread(connection: RawConnection, request: WireRequest): number[] {
    connection.pause();
    connection.send(toText(request).repeat(UNREAD));
    this.unread.push(connection);
    return [];
  }

  /** Closes the connections whose responses are unread. */
  close(): void {
    for (const connection of this.unread.splice(0)) connection.close();
  }
}

function respondsOrEnds(isOver: boolean): void {
  if (!isOver) throw new Error(`neither a response nor a close within ${HANG_MS} ms`);
}

function toText({ method, path, headers, body }: WireRequest, lengthOffBy = 0): string {
  const length =
    body === null ? [] : [['content-length', String(Math.max(0, body.byteLength + lengthOffBy))]];
  const isNamed = headers.some(([name]) => name === 'host');
  const lines = [...(isNamed ? [] : [['host', 'here']]), ...headers, ...length].map((each) =>
    each.join(': '),
  );
  const content = body === null ? '' : Buffer.from(body).toString('latin1');
  return [`${method} ${path} HTTP/1.1`, ...lines, '', content].join('\r\n');
}
