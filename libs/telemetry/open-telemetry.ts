import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace-node';
import { BullMQOtel } from 'bullmq-otel';

/** A collector that does not respond must not hold up the end of a process. */
const EXPORT_MS = 2_000;

interface TracingOptions {
  /** Base URL of an OTLP/HTTP collector. */
  endpoint: string;
  serviceName: string;
  version: string;
  /** Share of the requests whose traces are recorded, 0 to 1. */
  share: number;
}

/** A request being served: its own work runs in `context`, and `end` closes its span. */
export interface TracedRequest {
  readonly context: Context;
  end(status: number): void;
}

/** Traces of this process. Loaded only when a collector is configured; other code uses `tracing.ts`. */
export class OpenTelemetry {
  /** What BullMQ needs to carry traces through its queues. */
  readonly ofQueues: BullMQOtel;
  private readonly provider: NodeTracerProvider;
  private readonly tracer;

  constructor({ endpoint, serviceName, version, share }: TracingOptions) {
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS });
    this.provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
      sampler: requestsOf(share),
      spanProcessors: [
        new BatchSpanProcessor(exporter, { exportTimeoutMillis: EXPORT_MS, scheduledDelayMillis: 1_000 }),
      ],
    });
    this.provider.register();
    this.tracer = trace.getTracer('greenroom', version);
    this.ofQueues = new BullMQOtel({ tracerName: 'greenroom', version });
  }

  /** Begins the span of a request, in the trace that its `traceparent` header names if that is valid. */
  startRequest(name: string, traceparent: unknown, attributes: Attributes): TracedRequest {
    const parent = typeof traceparent === 'string' ? contextOf(traceparent) : ROOT_CONTEXT;
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    return {
      context: trace.setSpan(parent, span),
      end: (status) => {
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** Runs work in the trace of a request. */
  runIn<T>(request: TracedRequest, work: () => T): T {
    return context.with(request.context, work);
  }

  /** Where the work at hand stands in its trace, as text; undefined when it is in none. */
  traceparent(): string | undefined {
    const carrier: { traceparent?: string } = {};
    propagation.inject(context.active(), carrier);
    return carrier.traceparent;
  }

  /** Runs work that another process started, as a span of its trace. */
  async continue<T>(traceparent: string, name: string, work: () => Promise<T>): Promise<T> {
    const parent = contextOf(traceparent);
    const span = this.tracer.startSpan(name, { kind: SpanKind.INTERNAL }, parent);
    try {
      return await context.with(trace.setSpan(parent, span), work);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
      throw error;
    } finally {
      span.end();
    }
  }

  /** Sends what is left. */
  async stop(): Promise<void> {
    await this.provider.shutdown();
  }
}

/** Only this header: what else a caller may want to hand through is not for our queues. */
function contextOf(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

/**
 * Requests are recorded by share, regardless of what their caller has decided; what they cause is recorded with them; what begins
 * without a request, as a worker that looks for jobs, is not.
 */
function requestsOf(share: number): Sampler {
  const chosen = new TraceIdRatioBasedSampler(share);
  const inherited = new ParentBasedSampler({ root: new AlwaysOffSampler() });
  return {
    shouldSample: (parent, traceId, name, kind, attributes, links) =>
      kind === SpanKind.SERVER
        ? chosen.shouldSample(parent, traceId)
        : inherited.shouldSample(parent, traceId, name, kind, attributes, links),
    toString: () => `requests by ${chosen.toString()}`,
  };
}
