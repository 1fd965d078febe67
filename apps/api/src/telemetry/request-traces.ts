import type { TracedRequest } from '@app/telemetry/open-telemetry';
import { tracing } from '@app/telemetry/tracing';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    traced?: TracedRequest;
  }
}

/**
 * Gives every request a span, and what it does a place in its trace. Without a collector there is not even a hook. Must
 * run before routes are registered.
 */
export function traceRequests(fastify: FastifyInstance): void {
  const traces = tracing();
  if (!traces) return;
  fastify.addHook('onRequest', (request, _reply, done) => {
    // The path as it was sent, and the query, may carry a credential.
    const { method, id, headers, routeOptions } = request;
    const route = routeOptions.url ?? '(no route)';
    request.traced = traces.startRequest(`${method} ${route}`, headers.traceparent, {
      'http.request.method': method,
      'http.route': route,
      'greenroom.request_id': id,
    });
    traces.runIn(request.traced, done);
  });
  // Reading a body leaves the trace: bodies arrive on behalf of the connection.
  fastify.addHook('preHandler', ({ traced }, _reply, done) => {
    if (traced) traces.runIn(traced, done);
    else done();
  });
  fastify.addHook('onResponse', ({ traced }, { statusCode }, done) => {
    traced?.end(statusCode);
    done();
  });
}
