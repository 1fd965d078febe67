import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';

/** In each such time, a body must end or bring `MIN_BODY_BYTES_PER_SEC`. */
export const BODY_WINDOW_MS = 25_000;
export const MIN_BODY_BYTES_PER_SEC = 8 * 1024;
/** How long bodies may still arrive when the process has to stop. */
const LAST_BODIES_MS = 5_000;
const CHECK_EVERY_MS = 2_000;

/** The codes by which `refuseBrokenRequests` knows why a body is not waited for: the first is Node's own. */
export const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';
export const STOPPING = 'ERR_SERVER_STOPPING';

/** A body that has not ended. */
export interface UnfinishedBody {
  /** What has arrived on its connection. */
  readonly bytesRead: number;
  /** The api has not taken what has arrived: the client cannot send more. */
  readonly isWaitingForUs: boolean;
  /** Since when its rate is measured, and what had arrived then. */
  since: { ms: number; bytes: number };
}

/**
 * Whether a body makes no progress: within a window less has arrived than at the least rate. What it brings beyond that is not
 * saved for later.
 *
 * @param nowMs on a monotonic clock
 */
export function isTooSlow(body: UnfinishedBody, nowMs: number): boolean {
  const { since, bytesRead, isWaitingForUs } = body;
  const enough = (MIN_BODY_BYTES_PER_SEC * BODY_WINDOW_MS) / 1_000;
  if (isWaitingForUs || bytesRead - since.bytes >= enough) body.since = { ms: nowMs, bytes: bytesRead };
  return nowMs - body.since.ms >= BODY_WINDOW_MS;
}

/** A request whose body is on its way. */
class ArrivingBody implements UnfinishedBody {
  since: UnfinishedBody['since'];
  /** It was refused, and is closed if the client does not close it. */
  isRefused = false;

  constructor(readonly request: IncomingMessage) {
    this.since = { ms: performance.now(), bytes: this.bytesRead };
  }

  get bytesRead(): number {
    return this.request.socket.bytesRead;
  }

  get isWaitingForUs(): boolean {
    return this.request.readableFlowing !== true || this.request.readableLength > 0;
  }
}

/**
 * Lets a body take as long as it makes progress, up to the server's `requestTimeout`; one that makes none gets a 408, and what
 * is unfinished when the process stops a 503.
 */
export function endSlowBodies(fastify: FastifyInstance): void {
  const { server } = fastify;
  const bodies = new Set<ArrivingBody>();
  let stopAtMs = Infinity;
  server.prependListener('request', (request: IncomingMessage) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (request.complete || (length === undefined && encoding === undefined)) return;
    const body = new ArrivingBody(request);
    bodies.add(body);
    request.once('close', () => bodies.delete(body));
  });
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const body of bodies) {
      if (body.request.complete) continue;
      if (nowMs >= stopAtMs) refuse(body, STOPPING);
      else if (isTooSlow(body, nowMs)) refuse(body, TOO_SLOW);
    }
  }, CHECK_EVERY_MS).unref();
  fastify.addHook('preClose', (done) => {
    stopAtMs = performance.now() + LAST_BODIES_MS;
    done();
  });
  fastify.addHook('onClose', async () => clearInterval(timer));

  function refuse(body: ArrivingBody, code: string): void {
    const { socket } = body.request;
    if (body.isRefused || !server.emit('clientError', Object.assign(new Error(code), { code }), socket))
      socket.destroy();
    body.isRefused = true;
  }
}
