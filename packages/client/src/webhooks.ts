import { createHmac, timingSafeEqual } from 'node:crypto';

const HEADER = 'elevenlabs-signature';
const DEFAULT_TOLERANCE_SECS = 300;

/** Why a webhook is not to be believed. Respond 400 to it. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/**
 * The event of a webhook whose signature is right: `elevenlabs-signature: t=<unix seconds>,v0=<HMAC-SHA-256 of "<t>.<body>">`.
 *
 * @param body as it arrived, before anything has parsed it
 * @param headers as of `fetch` or of Node
 * @param secret of the webhook; during a rotation both, since either may have signed what is under way
 * @throws WebhookError
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string | readonly string[],
  { toleranceSecs = DEFAULT_TOLERANCE_SECS, now = new Date() } = {},
): unknown {
  const { time, signatures } = readSignature(headerOf(headers));
  const ageSecs = Math.abs(now.getTime() / 1_000 - Number(time));
  if (ageSecs > toleranceSecs)
    throw new WebhookError(
      `The webhook was signed ${Math.round(ageSecs)} s from now; ${toleranceSecs} s are accepted`,
    );
  const secrets = (typeof secret === 'string' ? [secret] : secret).filter((each) => each !== '');
  if (secrets.length === 0) throw new WebhookError('No secret was given to verify the webhook with');
  const isSigned = secrets.some((each) => {
    const expected = createHmac('sha256', each).update(`${time}.`).update(body).digest();
    return signatures.some((signature) => timingSafeEqual(expected, signature));
  });
  if (!isSigned) throw new WebhookError('The webhook was signed with another secret, or changed on its way');
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
}

function headerOf(headers: Headers | Record<string, string | string[] | undefined>): string {
  if (headers instanceof Headers) return headers.get(HEADER) ?? '';
  const name = Object.keys(headers).find((each) => each.toLowerCase() === HEADER);
  return String((name !== undefined && headers[name]) || '');
}

function readSignature(header: string): { time: string; signatures: Buffer[] } {
  const parts = header.split(',').map((part) => part.trim());
  const time = parts.map((part) => /^t=(\d{1,12})$/.exec(part)?.[1]).find((each) => each !== undefined);
  const signatures = parts.flatMap((part) => {
    const hex = /^v0=([0-9a-f]{64})$/.exec(part)?.[1];
    return hex === undefined ? [] : [Buffer.from(hex, 'hex')];
  });
  if (time === undefined || signatures.length === 0)
    throw new WebhookError(`The header ${HEADER} should be "t=<unix seconds>,v0=<64 hexadecimal digits>"`);
  return { time, signatures };
}
