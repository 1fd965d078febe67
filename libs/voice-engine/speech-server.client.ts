import type { Cidr } from '@app/domain/cidr';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { guardedLookup } from './speech-server.addresses';
import { VoiceEngineError } from './voice-engine.error';

export interface SpeechServerOptions {
  /** With or without a final `/v1`. */
  url: string;
  apiKey?: string | undefined;
  /** Internal addresses that the name in `url` may lead to. */
  allowedAddresses?: readonly Cidr[];
  /** One attempt, from connecting to the last byte. */
  timeoutMs?: number;
  maxBytes?: number;
  /** Before the second attempt; doubles for each further one. */
  retryAfterMs?: number;
}

interface Answer {
  status: number;
  retryAfterSecs: number;
  bytes: Buffer;
}

const ATTEMPTS = 3;
/** Statuses that say "not now": nothing was spoken, so asking again is safe. */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);
const LONGEST_RETRY_WAIT_MS = 5_000;
const MAX_ERROR_TEXT = 300;

/**
 * Asks one server for speech. Goes to the configured address and nowhere else: redirects are answers like others, proxies
 * of the environment are not used, and a name is examined before it is connected to.
 */
export class SpeechServerClient {
  private readonly endpoint: URL;
  private readonly options: Required<Omit<SpeechServerOptions, 'url' | 'apiKey' | 'allowedAddresses'>>;
  private readonly lookup;

  constructor({ url, apiKey, allowedAddresses = [], ...limits }: SpeechServerOptions) {
    this.endpoint = new URL(`${url.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')}/v1/audio/speech`);
    this.lookup = guardedLookup(allowedAddresses);
    this.authorization = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    this.options = { timeoutMs: 60_000, maxBytes: 32_000_000, retryAfterMs: 300, ...limits };
  }

  private readonly authorization: Record<string, string>;

  /**
   * The bytes of a recording, of whatever kind the server sent.
   *
   * Tries again when the server says "not now" or cannot be reached; never after a time-out, because the server may still
   * be busy with the first one.
   *
   * @throws VoiceEngineError; the signal's reason when it aborts
   */
  async speak(body: object, signal: AbortSignal): Promise<Buffer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.attempt(body, signal, attempt);
      if (answer && answer.status >= 200 && answer.status < 300) return answer.bytes;
      const pauseMs = Math.max(
        (answer?.retryAfterSecs ?? 0) * 1_000,
        this.options.retryAfterMs * 2 ** (attempt - 1),
      );
      const last = attempt === ATTEMPTS || pauseMs > LONGEST_RETRY_WAIT_MS;
      if (answer && (last || !PASSING.has(answer.status))) throw refusal(answer);
      await wait(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Null when the server cannot be reached and another attempt is left. */
  private async attempt(body: object, signal: AbortSignal, attempt: number): Promise<Answer | null> {
    const limit = AbortSignal.timeout(this.options.timeoutMs);
    try {
      return await this.post(JSON.stringify(body), AbortSignal.any([limit, signal]));
    } catch (cause) {
      signal.throwIfAborted();
      if (limit.aborted) throw new VoiceEngineError('timeout', 'the speech server took too long', { cause });
      if (cause instanceof VoiceEngineError) throw cause;
      if (attempt < ATTEMPTS) return null;
      throw new VoiceEngineError('failed', `the speech server cannot be reached: ${String(cause)}`, {
        cause,
      });
    }
  }

  private async post(body: string, signal: AbortSignal): Promise<Answer> {
    const send = this.endpoint.protocol === 'https:' ? httpsRequest : httpRequest;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        ...this.authorization,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      send(this.endpoint, { method: 'POST', headers, lookup: this.lookup, agent: false, signal }, resolve)
        .on('error', reject)
        .end(body);
    });
    return {
      status: response.statusCode ?? 0,
      retryAfterSecs: Number(response.headers['retry-after']) || 0,
      bytes: await readBody(response, this.options.maxBytes),
    };
  }
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw new VoiceEngineError('failed', `the speech server sent more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refusal({ status, bytes }: Answer): VoiceEngineError {
  return new VoiceEngineError(
    status === 429 ? 'busy' : 'failed',
    `the speech server answered ${status}: ${errorText(bytes)}`,
  );
}

/** `{error: {message}}` of OpenAI and vLLM, `{detail: {message}}` of Kokoro, `{detail: "…"}`, or whatever else came. */
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
