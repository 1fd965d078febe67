import { isInternalAddress } from '@app/domain/internal-addresses';
import { literalAddress } from '@app/domain/webhook-url';
import { InternalAddressError, publicLookup } from '@app/webhooks/public-lookup';
import type { NewAttempt } from '@app/database/repositories/webhook-delivery.repository';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

const KEPT_CHARACTERS = 1_000;
/** Enough for the characters that are kept, whatever they are. */
const READ_BYTES = 4 * KEPT_CHARACTERS;

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  allowPrivate: boolean;
  signal: AbortSignal;
  /** From the first look-up to the last byte of the answer that is read. */
  timeoutMs: number;
}

/**
 * Posts a webhook once. A status of 200 to 299 is success; everything else, a redirect included, is a failed attempt that
 * says why.
 *
 * @throws only when `signal` is aborted
 */
export async function postWebhook(webhook: WebhookRequest): Promise<NewAttempt> {
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  const timeout = AbortSignal.timeout(webhook.timeoutMs);
  try {
    const { status, location, answer } = await send(webhook, AbortSignal.any([webhook.signal, timeout]));
    return { status, ms: ms(), error: problemOf(status, location), answer };
  } catch (error) {
    webhook.signal.throwIfAborted();
    const tooLate = `no answer within ${webhook.timeoutMs / 1_000} s`;
    return { status: null, ms: ms(), error: timeout.aborted ? tooLate : reasonOf(error), answer: null };
  }
}

interface Answer {
  status: number;
  location: string | undefined;
  answer: string;
}

async function send(webhook: WebhookRequest, signal: AbortSignal): Promise<Answer> {
  const url = new URL(webhook.url);
  const literal = literalAddress(url);
  if (literal && isInternalAddress(literal, webhook.allowPrivate))
    throw new InternalAddressError(url.hostname, url.hostname);
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const sent = request(url, {
      method: 'POST',
      headers: { ...webhook.headers, 'content-length': Buffer.byteLength(webhook.body) },
      // A connection of its own: one that is kept open would outlive the check of its address.
      agent: false,
      lookup: publicLookup(webhook.allowPrivate),
      signal,
    });
    sent.once('error', reject);
    sent.once('response', (response) => void readAnswer(response).then(resolve, reject));
    sent.end(webhook.body);
  });
}

/** Reads the beginning of the answer; what follows is not waited for. */
async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= READ_BYTES) break;
    }
  } catch {
    // The status has been given: a body that breaks off changes nothing.
  }
  response.destroy();
  return {
    status: response.statusCode ?? 0,
    location: response.headers.location,
    answer: storable(Buffer.concat(chunks).toString('utf8')),
  };
}

function problemOf(status: number, location: string | undefined): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return storable(`answered ${status}: redirects are not followed (to ${location ?? 'nowhere'})`);
  return `answered ${status}`;
}

/** A name with several addresses fails with one error per address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return storable(cause instanceof Error ? cause.message || cause.name : String(cause));
}

/** What a database stores: a bounded text without NUL or half characters. */
function storable(text: string): string {
  return text.replaceAll('\0', '').slice(0, KEPT_CHARACTERS).toWellFormed();
}
