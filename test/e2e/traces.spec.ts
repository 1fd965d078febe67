import { randomBytes } from 'node:crypto';
import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { designPreviews } from '../support/previews';
import { createBody } from '../support/samples';
import { Stack } from '../support/stack';
import { startTraceCollector } from '../support/trace-collector';
import { WorkerProcess } from '../support/worker-process';

describe('traces', () => {
  let collector: Awaited<ReturnType<typeof startTraceCollector>>;
  let stack: Stack;
  let api: ApiProcess;
  let worker: WorkerProcess;

  beforeAll(async () => {
    collector = await startTraceCollector();
    stack = await Stack.start({ worker: false, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    api = await ApiProcess.start(stack.config);
    worker = new WorkerProcess(stack.config);
    await worker.waitForLog(/Ready for jobs/);
  });

  afterAll(async () => {
    await Promise.all([api.stop(), worker.kill()]);
    await stack.stop();
    collector.stop();
  });

  it('lead from a request through the outbox and the queue to the review, in two processes', async () => {
    // A trace of the caller's own, which it has decided not to record.
    const traceId = randomBytes(16).toString('hex');
    const traceparent = `00-${traceId}-00f067aa0ba902b7-00`;
    const key = await stack.issueKey();
    const [previewId] = await designPreviews(stack, key);
    const response = await fetch(`${api.url}/v1/text-to-voice?seen=no`, {
      method: 'POST',
      headers: { 'xi-api-key': key.secret, 'content-type': 'application/json', traceparent },
      body: JSON.stringify(createBody(previewId!)),
    });
    expect(response.status).toBe(200);
    await worker.waitForLog(/Review completed/);
    const mine = await eventually(() => {
      const found = collector.spans.filter((span) => span.traceId === traceId);
      const names = found.map(({ service, name }) => `${service}: ${name}`).sort();
      expect(names).toEqual([
        'greenroom-api: POST /v1/text-to-voice',
        'greenroom-worker: add voice-review.review-voice',
        'greenroom-worker: complete voice-review',
        'greenroom-worker: process voice-review',
        'greenroom-worker: relay review-voice',
      ]);
      return found;
    });
    const named = (name: string) => mine.find((span) => span.name.startsWith(name))!;
    expect(named('relay').parentSpanId).toBe(named('POST').spanId);
    expect(named('add').parentSpanId).toBe(named('relay').spanId);
    expect(named('process').parentSpanId).toBe(named('add').spanId);
    expect(named('POST').attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/text-to-voice',
      'http.response.status_code': 200,
      'greenroom.request_id': response.headers.get('x-request-id'),
    });
    expect([...collector.paths]).toEqual(['POST /v1/traces']);
    expect(JSON.stringify(collector.spans)).not.toContain(key.secret);
  });

  it('are begun by requests only, not by a worker that looks for jobs', () => {
    const begun = collector.spans.filter(({ parentSpanId }) => !parentSpanId);
    expect(begun.filter(({ service }) => service !== 'greenroom-api')).toEqual([]);
  });
});
