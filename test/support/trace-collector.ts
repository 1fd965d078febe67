import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, string | number>;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: number;
}
type OtlpAttributes = { key: string; value: OtlpValue }[];
type OtlpSpan = Omit<ReceivedSpan, 'service' | 'attributes'> & { attributes: OtlpAttributes };
interface OtlpBody {
  resourceSpans: { resource: { attributes: OtlpAttributes }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** A collector of traces on a free port of this machine. */
export async function startTraceCollector() {
  const spans: ReceivedSpan[] = [];
  const paths = new Set<string>();
  const server = createServer((request, response) => {
    paths.add(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      spans.push(...read(JSON.parse(Buffer.concat(chunks).toString()) as OtlpBody));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    paths,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function read({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(toObject(resource.attributes)['service.name']);
    const found = scopeSpans.flatMap(({ spans }) => spans);
    return found.map((span) => ({ ...span, service, attributes: toObject(span.attributes) }));
  });
}

function toObject(attributes: OtlpAttributes): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
