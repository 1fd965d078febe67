/** How long a delivery is tried. */
const WEBHOOK_RETRY_SECS = 86_400;
/** And how often at least, half an hour of attempts: time in which no worker ran was no trouble of the endpoint. */
const MIN_ATTEMPTS = 7;

const FIRST_SECS = 5;
const LONGEST_SECS = 7_200;
const FACTOR = 3;

/**
 * Seconds until the next attempt: 5 s, 15 s, 45 s … up to 2 h, each with up to a half taken off; null when the delivery
 * fails for good, 24 h after it began and not before its seventh attempt.
 *
 * @param attempts attempts since then, 1 or more
 * @param ageSecs since the delivery, or its replay, began
 * @param random in [0, 1)
 */
export function webhookRetryDelaySecs(attempts: number, ageSecs: number, random: number): number | null {
  const longest = Math.min(LONGEST_SECS, FIRST_SECS * FACTOR ** (attempts - 1));
  const delay = longest * (1 - random / 2);
  return attempts >= MIN_ATTEMPTS && ageSecs + delay > WEBHOOK_RETRY_SECS ? null : delay;
}

/** Whether an endpoint that has accepted nothing for this long is disabled when a delivery fails after its last attempt. */
export function isDeadEndpoint(failingSecs: number): boolean {
  return failingSecs >= WEBHOOK_RETRY_SECS * 0.9;
}
