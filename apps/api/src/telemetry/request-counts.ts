import { RESPONSE_SECS, Distribution } from '@app/telemetry/distribution';
import type { DistributionSample, Sample } from '@app/telemetry/metrics';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface OperationCounts {
  labels: { method: string; route: string };
  responses: Map<number, { value: number }>;
  secs: Distribution;
}

/** The label of requests for a path that nothing serves: the path itself would be a label of the caller's choice. */
const NO_ROUTE = { method: '', route: '(no route)' };

/** Counts responses by operation, with its path's placeholders, and status; and how long they took. */
export class RequestCounts {
  private readonly operations = new Map<object, OperationCounts>();

  /** Counts a request that has its response. */
  readonly count = (request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void => {
    this.add(request, statusCode, elapsedTime / 1_000);
  };

  readResponses(): Sample[] {
    return [...this.operations.values()].flatMap(({ labels, responses }) =>
      [...responses].map(([status, { value }]) => ({ labels: { ...labels, status: String(status) }, value })),
    );
  }

  readSecs(): DistributionSample[] {
    return [...this.operations.values()].map(({ labels, secs }) => ({ labels, distribution: secs }));
  }

  private add({ route: config }: FastifyRequest, status: number, secs: number): void {
    // The router gives every request of an operation the same configuration object.
    const operation = this.operations.get(config) ?? this.begin(config);
    const responses = operation.responses.get(status);
    if (responses) responses.value += 1;
    else operation.responses.set(status, { value: 1 });
    operation.secs.add(secs);
  }

  private begin(config: FastifyRequest['route']): OperationCounts {
    const { url, method } = config;
    const labels = url === undefined ? NO_ROUTE : { method: [method].flat().join('/'), route: url };
    const operation = { labels, responses: new Map(), secs: new Distribution(RESPONSE_SECS) };
    this.operations.set(config, operation);
    return operation;
  }
}
