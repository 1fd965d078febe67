import { redactSecrets } from '../keys/secret-text';

/** What stands in the audit log instead of a secret. */
const REDACTED = '[redacted]';

/** Names of fields that hold a secret. The last characters of one, under their own name, are fine. */
const SECRET_FIELD = /^(password|password_?hash|secret|token|digest|cookie)$/i;

/**
 * A value without secrets, so that an audit event can always be written: what stands under the name of a secret and
 * each of our credentials in any text, names of fields included, is replaced. What a customer wrote may look like a
 * secret; what happened to it must be on record all the same.
 *
 * Texts also lose what PostgreSQL does not store unchanged (U+0000, halves of surrogate pairs): a row that reads
 * differently from how it was written would break the chain.
 *
 * @param value plain JSON
 * @returns a copy
 */
export function withoutSecrets<T>(value: T): T {
  return redact(value) as T;
}

function redact(value: unknown): unknown {
  if (typeof value === 'string') return storable(redactSecrets(value, REDACTED));
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      redact(name),
      SECRET_FIELD.test(name) && isSecret(entry) ? REDACTED : redact(entry),
    ]),
  );
}

/** Whether there is, or is not, a secret may be on record. */
function isSecret(value: unknown): boolean {
  return value !== null && typeof value !== 'boolean';
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{FFFD}');
}
