import { createHmac } from 'node:crypto';

/** Header of the wire contract: what verifies its webhooks verifies ours. */
export const SIGNATURE_HEADER = 'elevenlabs-signature';

/**
 * The signature of a webhook: `t=<unix seconds>,v0=<hex HMAC-SHA-256 of "<t>.<body>">`. A receiver refuses one that is
 * older than 30 minutes, so every attempt is signed again.
 *
 * @param body the bytes that are sent, as text
 */
export function signWebhook(secret: string, body: string, now: Date): string {
  const unixSecs = Math.floor(now.getTime() / 1_000);
  const digest = createHmac('sha256', secret).update(`${unixSecs}.${body}`).digest('hex');
  return `t=${unixSecs},v0=${digest}`;
}
