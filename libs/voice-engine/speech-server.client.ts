import { exchangeHttp, HttpExchangeError, type HttpOutcome } from '@app/connections/http-exchange';
import type { Cidr } from '@app/domain/addresses/cidr';
import { setTimeout as wait } from 'node:timers/promises';
import { guardedLookup } from './speech-server.addresses';
import { VoiceEngineError } from './voice-engine.error';

export interface SpeechServerOptions {
  /** With or without a final `/v1`. */
  url: string;
  /** Sent with each request, such as the credential. */
  headers?: Record<string, string>;
  /** A request that broke off may have been charged, and is not sent again. */
  mayHaveCharged?: boolean;
  /** Internal addresses that the name in `url` may lead to. */
  allowedAddresses?: readonly Cidr[];
  /** One attempt, from connecting to the last byte. */
  timeoutMs?: number;
  maxBytes?: number;
  /** Before the second attempt; doubles for each further one. */
  retryAfterMs?: number;
}

const ATTEMPTS = 3;
const LIMITS = { timeoutMs: 60_000, maxBytes: 32_000_000, retryAfterMs: 300 };

/** A request to the server; without a body it is a GET. */
export interface ServerRequest {
  /** Below the address of the server, with its query: `/v1/audio/speech`. */
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

/** Failed attempts of requests that belong together. A server that is only busy does not count: the others keep it so. */
export class SharedAttempts {
  private failed = 0;

  /** Counts a failure; returns whether one more attempt is allowed. */
  fail(): boolean {
    this.failed += 1;
    return this.failed < ATTEMPTS;
  }
}
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** Statuses that say "not now", and those of them with which a server that charges has begun nothing. */
const PASSING = new Set([408, TOO_MANY_REQUESTS, 500, 502, UNAVAILABLE, 504]);
const UNBEGUN = new Set([TOO_MANY_REQUESTS, UNAVAILABLE]);
/** Of a connection that was never there. */
const UNREACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
const LONGEST_RETRY_WAIT_MS = 5_000;
const MAX_ERROR_TEXT = 300;
const FIRST_SERVER_ERROR = 500;

/**
 * Requests speech from one server. Connects to the configured address only: redirects are responses like others, proxies
 * of the environment are not used, and a name is examined before it is connected to.
 */
export class SpeechServerClient {
  private readonly base: string;
  private readonly options: Required<Omit<SpeechServerOptions, 'url' | 'allowedAddresses'>>;
  private readonly passing: ReadonlySet<number>;
  private readonly lookup;

  constructor({ url, allowedAddresses = [], ...options }: SpeechServerOptions) {
    this.base = url.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
    this.lookup = guardedLookup(allowedAddresses);
    this.options = { headers: {}, mayHaveCharged: false, ...LIMITS, ...options };
    this.passing = this.options.mayHaveCharged ? UNBEGUN : PASSING;
  }

  /**
   * The response to a request that succeeded.
   *
   * Tries again when the server says "not now" or cannot be reached; never after a time-out, because the server may still
   * be busy with the first one.
   *
   * @param options.shared the attempts of all requests of a design
   * @param options.accepts statuses that are returned as well
   * @throws VoiceEngineError; the signal's reason when it aborts
   */
  async send(
    request: ServerRequest,
    signal: AbortSignal,
    { shared = new SharedAttempts(), accepts = [] }: { shared?: SharedAttempts; accepts?: number[] } = {},
  ): Promise<HttpOutcome> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.attempt(request, signal, shared);
      if (outcome && outcome.status >= 200 && outcome.status < 300) return outcome;
      if (outcome && accepts.includes(outcome.status)) return outcome;
      const retryAfterSecs = Number(outcome?.headers['retry-after']) || 0;
      const pauseMs = Math.max(retryAfterSecs * 1_000, this.options.retryAfterMs * 2 ** (attempt - 1));
      const isBusy = outcome?.status === TOO_MANY_REQUESTS;
      const mayRetry = outcome === null || (isBusy ? attempt < ATTEMPTS : shared.fail());
      const last = !mayRetry || pauseMs > LONGEST_RETRY_WAIT_MS;
      if (outcome && (last || !this.passing.has(outcome.status))) throw refusal(outcome);
      await wait(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** The path and query of an address below that of the server; null for any other. */
  pathOf(address: string): string | null {
    return address.startsWith(`${this.base}/`) ? address.slice(this.base.length) : null;
  }

  /** Null when the server cannot be reached and another attempt is left. */
  private async attempt(
    request: ServerRequest,
    signal: AbortSignal,
    shared: SharedAttempts,
  ): Promise<HttpOutcome | null> {
    try {
      const outcome = await this.exchange(request, signal);
      if (outcome.bodyEnd === 'complete') return outcome;
      if (outcome.bodyEnd !== 'broken') throw this.unending(outcome);
      if (this.mayRepeat(shared)) return null;
      throw broken('the speech server broke off its response');
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof VoiceEngineError) throw cause;
      const failure = cause instanceof HttpExchangeError ? cause.failure : 'closed';
      if (failure === 'timeout') throw tooLate(cause);
      if (failure === 'closed' && this.mayRepeat(shared)) return null;
      const text = `the speech server cannot be used: ${String(cause)}`;
      const wasReached = !UNREACHED.has((cause as { code?: string }).code ?? '');
      throw wasReached ? broken(text, cause) : new VoiceEngineError('failed', text, { cause });
    }
  }

  private mayRepeat(shared: SharedAttempts): boolean {
    return !this.options.mayHaveCharged && shared.fail();
  }

  private async exchange(
    { path, body, headers: own }: ServerRequest,
    signal: AbortSignal,
  ): Promise<HttpOutcome> {
    const { timeoutMs, maxBytes, headers } = this.options;
    return exchangeHttp({
      method: body ? 'POST' : 'GET',
      url: new URL(`${this.base}${path}`),
      headers: { ...headers, ...own, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : undefined,
      lookup: this.lookup,
      signal,
      timeoutMs,
      maxBytes,
    });
  }

  private unending({ bodyEnd }: HttpOutcome): VoiceEngineError {
    if (bodyEnd === 'timeout') return tooLate();
    return broken(`the speech server sent more than ${this.options.maxBytes} bytes`);
  }
}

function tooLate(cause?: unknown): VoiceEngineError {
  return new VoiceEngineError('timeout', 'the speech server took too long', { cause, mayHaveCharged: true });
}

function broken(message: string, cause?: unknown): VoiceEngineError {
  return new VoiceEngineError('failed', message, { cause, mayHaveCharged: true });
}

function refusal({ status, headers, body }: HttpOutcome): VoiceEngineError {
  const retryAfterSecs = Number(headers['retry-after']);
  return new VoiceEngineError(
    status === TOO_MANY_REQUESTS ? 'busy' : 'failed',
    `the speech server responded ${status}: ${errorText(body)}`,
    {
      status,
      mayHaveCharged: status >= FIRST_SERVER_ERROR && !UNBEGUN.has(status),
      ...(retryAfterSecs > 0 && { retryAfterSecs }),
    },
  );
}

/** `{error: {message}}` of OpenAI and vLLM, `{detail: {message}}` of Kokoro, `{detail: "…"}`, or another body. */
function errorText(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, 10_000);
  const found = messageIn(text) ?? text;
  return found.replace(/\s+/g, ' ').slice(0, MAX_ERROR_TEXT);
}

function messageIn(text: string): string | null {
  try {
    const body = JSON.parse(text) as { error?: unknown; detail?: unknown } | null;
    const part = body?.error ?? body?.detail;
    const message = typeof part === 'string' ? part : (part as { message?: unknown } | null)?.message;
    return typeof message === 'string' ? message : null;
  } catch {
    return null;
  }
}
