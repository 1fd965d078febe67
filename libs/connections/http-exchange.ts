import {
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { addAbortSignal } from 'node:stream';

export interface HttpExchange {
  method: 'GET' | 'POST';
  /** `http:` or `https:`. Redirects are responses like others, and proxies of the environment are not used. */
  url: URL;
  headers: Record<string, string>;
  body?: string;
  /** Resolves the host's name for the connection; a literal address never gets there. */
  lookup?: LookupFunction;
  /** Authorities that may sign the server's certificate, in PEM, instead of those of Node.js. */
  ca?: string;
  /** The caller's own reason to stop. */
  signal: AbortSignal;
  /** From the look-up of the name to the last byte of the response. */
  timeoutMs: number;
  /** Of the response's body; more is not read. */
  maxBytes: number;
}

/** How a body ended: as the server meant it, cut after `maxBytes`, broken off, or at the time limit. */
type BodyEnd = 'complete' | 'too_long' | 'broken' | 'timeout';

export interface HttpOutcome {
  status: number;
  headers: IncomingHttpHeaders;
  /** The first bytes, at most `maxBytes`. */
  body: Buffer;
  bodyEnd: BodyEnd;
}

/** There was no response: the time limit passed, the server changed the protocol, or it closed the connection. */
export class HttpExchangeError extends Error {
  constructor(
    readonly failure: 'timeout' | 'protocol' | 'closed',
    message: string,
  ) {
    super(message);
    this.name = 'HttpExchangeError';
  }
}

/** Far more `1xx` responses than a server has a reason to send. */
const MAX_INFORMATION = 20;

/**
 * Sends one request over a separate connection and reads the response, regardless of what the server does: a response that switches
 * protocols, interim responses without end, a connection closed without a response, a body that never ends. It settles
 * within `timeoutMs`, keeps at most `maxBytes` and leaves no connection behind.
 *
 * @throws HttpExchangeError; Node's own error when the server cannot be reached; the signal's reason when it aborts
 */
export async function exchangeHttp(exchange: HttpExchange): Promise<HttpOutcome> {
  const { signal, timeoutMs } = exchange;
  signal.throwIfAborted();
  const late = new HttpExchangeError('timeout', `no response within ${timeoutMs / 1_000} s`);
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(late), timeoutMs);
  const stop = () => end.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const outcome = await perform(exchange, end.signal);
    signal.throwIfAborted();
    return outcome;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

async function perform(exchange: HttpExchange, signal: AbortSignal): Promise<HttpOutcome> {
  const sent = send(exchange);
  try {
    const response = await responseTo(sent, signal);
    const { statusCode: status = 0, headers } = response;
    return { status, headers, ...(await readBody(response, exchange.maxBytes, signal)) };
  } finally {
    sent.destroy();
  }
}

function send({ method, url, headers, body, lookup, ca }: HttpExchange): ClientRequest {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  // A connection that stays open would outlive the check of its address.
  const sent = request(url, {
    method,
    headers: { ...headers, ...length },
    lookup,
    agent: false,
    ...(ca !== undefined && { ca }),
  });
  return sent.end(body);
}

/** The response, or the first sign that there will be none. */
async function responseTo(sent: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let information = 0;
    const refuse = (message: string) => reject(new HttpExchangeError('protocol', message));
    const refuseSwitch = (status?: number) =>
      refuse(`the server responded ${status} to switch protocols, which was not requested`);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    sent.once('response', (response) => {
      // A 101 that names no protocol arrives as a response.
      if (response.statusCode === 101) refuseSwitch(101);
      else resolve(response);
    });
    sent.once('upgrade', ({ statusCode }, socket) => {
      socket.on('error', () => undefined).destroy();
      refuseSwitch(statusCode);
    });
    // Stays: a connection may fail more than once, and after its response.
    sent.on('error', reject);
    sent.once('close', () =>
      reject(new HttpExchangeError('closed', 'the connection was closed without a response')),
    );
    sent.on('information', () => {
      information += 1;
      if (information > MAX_INFORMATION)
        refuse(`the server sent more than ${MAX_INFORMATION} interim responses`);
    });
  });
}

async function readBody(
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Pick<HttpOutcome, 'body' | 'bodyEnd'>> {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  try {
    for await (const chunk of addAbortSignal(signal, response) as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) return { body: Buffer.concat(chunks), bodyEnd: 'too_long' };
    }
    return { body: Buffer.concat(chunks), bodyEnd: 'complete' };
  } catch {
    return { body: Buffer.concat(chunks), bodyEnd: signal.aborted ? 'timeout' : 'broken' };
  }
}
