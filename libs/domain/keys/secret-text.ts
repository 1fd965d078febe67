/** Every kind of secret, and those of other cells than the first. */
const FORM = '(?:gr[kmst]|gc[kt])_[0-9A-Za-z]{38}';

/** Finds our credentials in any text (scanners, log redaction). Says nothing about their checksum. */
export const SECRET_PATTERN = new RegExp(String.raw`\b${FORM}\b`);

/** The same in the middle of words too, to the end of the word: two that share letters leave nothing of the second. */
const ANY_SECRET = new RegExp(String.raw`(?:${FORM}|whsec_[0-9A-Za-z]{40})\w*`, 'g');

/** A text with each of our credentials in it, and each secret of a webhook, replaced. Works for texts of any length. */
export function redactSecrets(text: string, replacement: string | ((secret: string) => string)): string {
  return text.replace(ANY_SECRET, typeof replacement === 'string' ? () => replacement : replacement);
}

/** What may be known of a secret: its last four characters. */
export function lastFourOf(secret: string): string {
  return secret.slice(-4);
}

/** A text without secrets: of each only the last four characters. */
export function withoutSecrets(text: string): string {
  return redactSecrets(text, (secret) => `…${lastFourOf(secret)}`);
}
