import { Arrivals } from '@app/auth/arrivals';
import { ApiKeyHook } from '@app/auth/api-key.hook';
import { ServiceCredentialHook } from '@app/auth/service-credential.hook';
import { AppConfig } from '@app/config/app-config';
import { keepServing } from '@app/connections/keep-serving';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accessLog } from './access-log';
import { headerLines, responsesWith } from './api-response';
import { serveDocs } from '../openapi/docs-page';
import { serveScim } from '../staff/serve-scim';
import { TrafficRecorder } from '../observed-traffic/traffic-recorder';
import { RequestLimitHook } from '../limits/request-limit.hook';
import { SingleUseTokenHook } from '../single-use-tokens/single-use-token.hook';
import { StaffHook } from '../staff/staff.hook';
import { ProcessReport } from '../telemetry/process-report';
import { serveMetrics } from '../telemetry/api-metrics';
import { traceRequests } from '../telemetry/request-traces';
import { refuseBrokenRequests } from './broken-requests';
import { boundConnections } from './connections';
import { writeConstantResponsesOnce } from '../http/constant-responses';
import { compressStaffResponses } from './compressed-responses';
import { allowAnyOrigin, sendPreflight } from './cross-origin';
import { ErrorFilter } from './error.filter';
import { acceptForms } from './form-body';
import { acceptJsonBodies } from './json-body';
import { boundLargeBodies } from './large-bodies';
import { acceptMultipartBodies } from './multipart-body';
import { acceptPackedBodies } from './packed-body';
import { limitPublicBodies } from './public-body-limit';
import { handleRequestsInTurn } from './pipelined-requests';
import { refuseOtherCell } from './other-cell';
import { refuseAmbiguousHead } from './request-head';
import { identify } from '../http/request-id';
import { responseHeaders } from './response-headers';
import { keepRouteConfiguration } from './route-configuration';
import { knowOwnOrigin } from '../http/own-origin';
import { MAX_PARAM_LENGTH, RouteTable } from '../http/route-table';
import { refuseUnknownRoute } from './unknown-routes';
import { endSlowBodies } from './slow-bodies';
import { StrangerSockets } from './stranger-sockets';
import { UnreadResponses } from './unread-responses';
import { ApiRequest, receiveWebSockets } from './web-sockets';

const BODY_LIMIT_BYTES = 1024 * 1024;
/** Of a body that makes progress; see `endSlowBodies`. The largest form takes so long at 160 kB/s. */
const REQUEST_TIMEOUT_MS = 1_800_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often clients that are too slow are looked for; half a minute is the default. */
const SLOW_CHECK_MS = 2_000;
/** The last response has `Connection: close`; clients then open another. */
const MAX_REQUESTS_PER_CONNECTION = 10_000;

/** The HTTP server, before Nest knows its routes. */
export function createAdapter(config: AppConfig): FastifyAdapter {
  const common = responseHeaders(config);
  return new FastifyAdapter({
    // No middleware of Express is used here, and running none costs each request its share.
    skipMiddie: true,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    genReqId: identify,
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: config.keepAliveSecs * 1_000,
    maxRequestsPerSocket: MAX_REQUESTS_PER_CONNECTION,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: SLOW_CHECK_MS,
      IncomingMessage: ApiRequest,
      ServerResponse: responsesWith(common),
    },
    forceCloseConnections: 'idle',
    // A request on a connection that was in use when the api stops is served; Fastify's refusal has another body than ours.
    return503OnClosing: false,
    clientErrorHandler: refuseBrokenRequests(common),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      allowAnyOrigin(request, reply);
      new ErrorFilter(new RouteTable()).sendRefusal(error, request, reply);
    },
  });
}

/** Everything that every request goes through, in order: trace, origin, head, credential, limit, body, validation, errors. */
export function configureApp(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const routes = app.get(RouteTable);
  routes.watch(fastify);
  const config = app.get(AppConfig);
  const traffic = app.get(TrafficRecorder);
  const report = app.get(ProcessReport);
  keepServing(fastify.server);
  handleRequestsInTurn(fastify.server, boundConnections(fastify, config));
  const common = responseHeaders(config);
  const strangers = new StrangerSockets(config, headerLines(common));
  receiveWebSockets(fastify.server, responsesWith(common), strangers);
  endSlowBodies(fastify);
  fastify.decorate('unread', new UnreadResponses(config));
  keepRouteConfiguration(fastify);
  knowOwnOrigin(fastify, config);
  writeConstantResponsesOnce(fastify);
  traceRequests(fastify);
  receiveRequests(fastify, routes, config, app.get(Arrivals));
  observeResponses(fastify, [accessLog(config), serveMetrics(app), traffic.record, report.count]);
  app.get(SingleUseTokenHook).protect(fastify);
  const keys = app.get(ApiKeyHook);
  keys.protect(fastify);
  app.get(RequestLimitHook).protect(fastify);
  traffic.storeUntilClosed(fastify);
  report.reportUntilClosed(fastify);
  app.get(ServiceCredentialHook).protect(fastify);
  app.get(StaffHook).protect(fastify);
  compressStaffResponses(fastify);
  limitPublicBodies(fastify);
  boundLargeBodies(fastify, config);
  acceptPackedBodies(fastify);
  acceptJsonBodies(fastify);
  acceptForms(fastify);
  acceptMultipartBodies(fastify, (request) => keys.admitAgain(request));
  serveDocs(fastify);
  serveScim(app);
  app.useGlobalFilters(new ErrorFilter(routes, config.cell));
}

/** What concerns every request before its route, in one hook: each hook costs every request its share. */
function receiveRequests(
  fastify: FastifyInstance,
  routes: RouteTable,
  { cell }: AppConfig,
  arrivals: Arrivals,
): void {
  // No limit on their number: `refuseAmbiguousHead` has one, and the size of all headers has another.
  fastify.server.maxHeadersCount = 0;
  fastify.addHook('onRequest', (request, reply, done) => {
    if (sendPreflight(request, reply)) return;
    allowAnyOrigin(request, reply);
    // What no route serves is refused before its body is read.
    const unknown = request.is404 ? refuseUnknownRoute(routes, request) : undefined;
    const refusal = refuseAmbiguousHead(request) ?? unknown ?? refuseOtherCell(request, cell, arrivals);
    if (refusal instanceof Promise) refusal.then(done, done);
    else done(refusal);
  });
}

type Observer = (request: FastifyRequest, reply: FastifyReply) => void;

/** Shows every finished request to all observers, in one hook. */
function observeResponses(fastify: FastifyInstance, observers: (Observer | undefined)[]): void {
  const present = observers.filter((observer) => observer !== undefined);
  fastify.addHook('onResponse', (request, reply, done) => {
    for (const observe of present) observe(request, reply);
    done();
  });
}
