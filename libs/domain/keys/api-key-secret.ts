import { hash } from 'node:crypto';
import { decodeBase62, encodeBase62, isBase62, randomBase62, type RandomBytes } from '../common/base62';
import { FIRST_CELL } from '../common/cell';
import { crc32 } from '../common/crc32';

/**
 * The form of our credentials: a prefix, 32 random base62 characters (190 bits) and 6 base62 digits of the CRC-32 of
 * everything before them. The prefix lets secret scanners find a leaked one; the checksum refuses a mistyped or invented
 * one without any look-up. A single underscore, so that a double-click selects all of it.
 */
export type SecretKind = 'api_key' | 'single_use_token' | 'service_credential' | 'management_credential';

const PREFIXES: Record<SecretKind, string> = {
  api_key: 'grk_',
  single_use_token: 'grt_',
  service_credential: 'grs_',
  management_credential: 'grm_',
};
/** Those of other cells than the first: two of their random characters are the mark of the cell. */
const MARKED_PREFIXES: Partial<Record<SecretKind, string>> = { api_key: 'gck_', single_use_token: 'gct_' };
const PREFIX_LENGTH = 4;
const MARK_END = PREFIX_LENGTH + 2;
const KIND_OF_PREFIX = new Map(
  [PREFIXES, MARKED_PREFIXES].flatMap((prefixes) =>
    Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind as SecretKind]),
  ),
);
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const CHECKSUM_START = PREFIX_LENGTH + RANDOM_LENGTH;
const SECRET_LENGTH = CHECKSUM_START + CHECKSUM_LENGTH;

/** A new secret of 42 characters. To be shown once and stored only as its digest and its last four characters. */
export function generateSecret(kind: SecretKind, randomBytes: RandomBytes, cell = FIRST_CELL): string {
  const marked = cell === FIRST_CELL ? undefined : MARKED_PREFIXES[kind];
  const start = marked === undefined ? PREFIXES[kind] : marked + cell;
  const body = start + randomBase62(CHECKSUM_START - start.length, randomBytes);
  return body + encodeBase62(crc32(body), CHECKSUM_LENGTH);
}

/** The cell that a key or single-use token was issued in, from its form alone; null when it cannot be one of ours. */
export function cellOfSecret(credential: string): string | null {
  const kind = kindOfPrefix(credential);
  if (kind !== 'api_key' && kind !== 'single_use_token') return null;
  if (credential.startsWith(PREFIXES[kind])) return FIRST_CELL;
  return secretKind(credential) && credential.slice(PREFIX_LENGTH, MARK_END);
}

/**
 * Which kind of secret a credential has the form and checksum of, or null when it cannot be one of ours.
 *
 * Needs no look-up and is safe to call with any text: the cost is bounded, regardless of its length. Every change of a single
 * character and every swap of two neighbours is found (a CRC finds all error bursts of up to 32 bits).
 */
export function secretKind(credential: string): SecretKind | null {
  if (credential.length !== SECRET_LENGTH) return null;
  const kind = kindOfPrefix(credential);
  if (kind === null || !isBase62(credential, PREFIX_LENGTH, CHECKSUM_START)) return null;
  const checksum = decodeBase62(credential, CHECKSUM_START, SECRET_LENGTH);
  return checksum === crc32(credential, CHECKSUM_START) ? kind : null;
}

/** Secrets of other systems that keys are imported with: so long, of visible ASCII characters. */
export const IMPORTED_SECRET = { min: 20, max: 256 };
const VISIBLE = /^[\x21-\x7e]+$/;

/** Whether a credential can be that of an API key: one of ours by its form and checksum, another by its length and characters. */
export function canBeApiKey(credential: string): boolean {
  if (kindOfPrefix(credential) !== null) return secretKind(credential) === 'api_key';
  const { length } = credential;
  return length >= IMPORTED_SECRET.min && length <= IMPORTED_SECRET.max && VISIBLE.test(credential);
}

/** Which kind of secret a credential claims to be, valid or not. */
export function kindOfPrefix(credential: string): SecretKind | null {
  return KIND_OF_PREFIX.get(credential.slice(0, PREFIX_LENGTH)) ?? null;
}

/**
 * SHA-256 of a secret in lower-case hexadecimal: what is stored and looked up. 190 random bits cannot be guessed, so a
 * slow hash would only slow down every request (OWASP ASVS 5.0, 11.4.1 and 11.5.1).
 */
export function digestSecret(secret: string): string {
  return hash('sha256', secret);
}

/**
 * The part of a secret that may be shown for ever, for example `grk_…Ab3d`, so that people recognise it. The four
 * characters belong to the checksum: 166 of the 190 random bits stay unknown to a reader of them.
 */
export function maskSecret(secret: string): string {
  return `${secret.slice(0, PREFIX_LENGTH)}…${secret.slice(-4)}`;
}
