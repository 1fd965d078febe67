/** How long a delivery is tried. */
const WEBHOOK_RETRY_SECS = 86_400;
/** And how often at least, half an hour of attempts: time in which no worker ran was no trouble of the endpoint. */
const MIN_ATTEMPTS = 7;

const FIRST_SECS = 5;
const LONGEST_SECS = 7_200;
const FACTOR = 3;

/** What a receiver says of the next attempt. */
export interface RetryWish {
  status: number | null;
  /** Its `Retry-After`. */
  retryAfter: string | null;
}

/** The responses of which HTTP says that they may name a time. */
const BUSY = [429, 503];

/** Whether a receiver says that it is gone for good. */
export function isGone({ status }: Pick<RetryWish, 'status'>): boolean {
  return status === 410;
}

/**
 * Seconds that a receiver wishes to be spared, at most 2 h: its `Retry-After` (RFC 9110, 10.2.3: seconds or a date) with 429 or
 * 503; 0 without one that can be read.
 */
export function retryAfterSecs({ status, retryAfter }: RetryWish, now: Date): number {
  if (status === null || !BUSY.includes(status) || retryAfter === null) return 0;
  const secs = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - now.getTime()) / 1_000;
  return Number.isNaN(secs) ? 0 : Math.min(LONGEST_SECS, Math.max(0, secs));
}

/**
 * Seconds until the next attempt: 5 s, 15 s, 45 s … up to 2 h, each with up to a half taken off; null when the delivery
 * fails for good, 24 h after it began and not before its seventh attempt. Later where the receiver wishes it.
 *
 * @param attempts attempts since then, 1 or more
 * @param ageSecs since the delivery, or its replay, began
 * @param random in [0, 1)
 * @param wishedSecs as of `retryAfterSecs`
 */
export function webhookRetryDelaySecs(
  attempts: number,
  ageSecs: number,
  random: number,
  wishedSecs = 0,
): number | null {
  const longest = Math.min(LONGEST_SECS, FIRST_SECS * FACTOR ** (attempts - 1));
  const delay = Math.max(longest * (1 - random / 2), wishedSecs);
  return attempts >= MIN_ATTEMPTS && ageSecs + delay > WEBHOOK_RETRY_SECS ? null : delay;
}

/** Whether an endpoint that has accepted nothing for this long is disabled when a delivery fails after its last attempt. */
export function isDeadEndpoint(failingSecs: number): boolean {
  return failingSecs >= WEBHOOK_RETRY_SECS * 0.9;
}
