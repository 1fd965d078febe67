import { setTimeout as sleep } from 'node:timers/promises';
import { GreenroomError, retryAfterOf } from './greenroom-error.ts';

export interface RetryOptions {
  /** Attempts after the first one; 3 when left out. */
  retries?: number;
  /** How long one attempt may take until its headers are there; 30 s when left out. */
  timeoutMs?: number;
  /** A longer wait than this is left to the caller; 60 s when left out. */
  maxWaitMs?: number;
  /** For tests and proxies. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Statuses of which one cannot tell whether the request has had its effect. */
const UNCERTAIN = [502, 503, 504];
const FIRST_WAIT_MS = 250;
const SAFE = ['GET', 'HEAD'];
const REPEATABLE_HEADER = 'x-client-repeatable';

/** Marks a request that may be sent twice: the mark stays here. */
export function markRepeatable(headers: Headers): void {
  headers.set(REPEATABLE_HEADER, '1');
}

/**
 * Sends a request again after what passes: 429, which had no effect, for every request; a lost connection, 502, 503 and 504 only
 * for one that may be sent twice.
 *
 * @throws GreenroomError `unreachable`
 */
export function fetchWithRetries(options: RetryOptions): (request: Request) => Promise<Response> {
  const { retries = 3, timeoutMs = 30_000, maxWaitMs = 60_000, fetch = globalThis.fetch } = options;
  return async (request) => {
    const isRepeatable = SAFE.includes(request.method) || request.headers.has(REPEATABLE_HEADER);
    request.headers.delete(REPEATABLE_HEADER);
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries;
      const outcome = await send(isLast ? request : request.clone(), timeoutMs, fetch);
      if (request.signal.aborted) return unwrap(outcome);
      const mayPass = outcome instanceof Response ? mayPassLater(outcome, isRepeatable) : isRepeatable;
      const waitMs = waitBefore(outcome, attempt);
      if (isLast || !mayPass || waitMs > maxWaitMs) return unwrap(outcome);
      if (outcome instanceof Response) await outcome.body?.cancel();
      await sleep(waitMs, undefined, { signal: request.signal });
    }
  };
}

/** The response when its headers are there, whatever it is; or why there is none. */
async function send(
  request: Request,
  timeoutMs: number,
  fetch: NonNullable<RetryOptions['fetch']>,
): Promise<Response | GreenroomError> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await fetch(new Request(request, { signal: AbortSignal.any([request.signal, late.signal]) }));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const { origin } = new URL(request.url);
    const message = `Greenroom cannot be reached at ${origin}: ${why}`;
    return new GreenroomError(0, new Headers(), null, { message, cause });
  } finally {
    clearTimeout(timer);
  }
}

function mayPassLater({ status }: Response, isRepeatable: boolean): boolean {
  return status === 429 || (isRepeatable && UNCERTAIN.includes(status));
}

/** What the server requests, else twice as long each time, with a random part. */
function waitBefore(outcome: Response | GreenroomError, attempt: number): number {
  const requestedSecs = outcome instanceof Response ? retryAfterOf(outcome.headers) : null;
  if (requestedSecs !== null) return requestedSecs * 1_000;
  return FIRST_WAIT_MS * 2 ** attempt * (1 + Math.random());
}

function unwrap(outcome: Response | GreenroomError): Response {
  if (outcome instanceof GreenroomError) throw outcome;
  return outcome;
}
