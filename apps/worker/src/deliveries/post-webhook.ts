import { exchangeHttp, type HttpOutcome } from '@app/connections/http-exchange';
import { isInternalAddress } from '@app/domain/addresses/internal-addresses';
import { literalAddress } from '@app/domain/webhooks/webhook-url';
import type { RetryWish } from '@app/domain/webhooks/webhook-retry';
import { InternalAddressError, publicLookup } from '@app/webhooks/public-lookup';
import type { NewAttempt } from '@app/database/deliveries/webhook-delivery.repository';

const STORED_CHARACTERS = 1_000;
/** Enough for the characters that are stored, of any kind. */
const READ_BYTES = 4 * STORED_CHARACTERS;

/** An attempt, and what the receiver says of the next one. */
export type PostedWebhook = NewAttempt & Pick<RetryWish, 'retryAfter'>;

interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  allowPrivate: boolean;
  signal: AbortSignal;
  /** From the first look-up to the last byte of the response that is read. */
  timeoutMs: number;
}

/**
 * Posts a webhook once. A status of 200 to 299 is success, even if the body fails; everything else, a redirect
 * included, is a failed attempt that says why.
 *
 * @throws only when `signal` is aborted
 */
export async function postWebhook(webhook: WebhookRequest): Promise<PostedWebhook> {
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  try {
    const { status, headers, body } = await send(webhook);
    const answer = storable(body.toString('utf8'));
    const retryAfter = headers['retry-after'] ?? null;
    return { status, ms: ms(), error: problemOf(status, headers.location), answer, retryAfter };
  } catch (error) {
    webhook.signal.throwIfAborted();
    return { status: null, ms: ms(), error: reasonOf(error), answer: null, retryAfter: null };
  }
}

async function send({ url: text, allowPrivate, ...webhook }: WebhookRequest): Promise<HttpOutcome> {
  const url = new URL(text);
  const literal = literalAddress(url);
  if (literal && isInternalAddress(literal, allowPrivate))
    throw new InternalAddressError(url.hostname, url.hostname);
  const lookup = publicLookup(allowPrivate);
  return exchangeHttp({ ...webhook, method: 'POST', url, lookup, maxBytes: READ_BYTES });
}

function problemOf(status: number, location: string | undefined): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return storable(`responded ${status}: redirects are not followed (to ${location ?? 'nowhere'})`);
  return `responded ${status}`;
}

/** A name with several addresses fails with one error per address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return storable(cause instanceof Error ? cause.message || cause.name : String(cause));
}

/** What a database stores: a bounded text without NUL or half characters. */
function storable(text: string): string {
  return text.replaceAll('\0', '').slice(0, STORED_CHARACTERS).toWellFormed();
}
