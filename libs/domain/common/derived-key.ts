import { hkdfSync, timingSafeEqual } from 'node:crypto';

type KeyPurpose =
  | 'staff sessions'
  | 'staff cookies'
  | 'staff devices'
  | 'audit chain'
  | 'audit keys'
  | 'preview urls'
  | 'webhook secrets'
  | 'contact urls'
  | 'unsubscribe links'
  | 'stored responses';

/**
 * A key for one purpose, derived from the installation's secret with HKDF-SHA-256 (RFC 5869): knowing one key says
 * nothing about the others or about the secret.
 *
 * @param secret `APP_SECRET`
 * @returns 32 bytes, always the same for the same secret and purpose
 */
export function deriveKey(secret: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `greenroom ${purpose}`, 32));
}

/** The same of several secrets: that which is written with first, then those that are accepted for reading. */
export type DerivedKeys = [Buffer, ...Buffer[]];

export function deriveKeys([current, ...earlier]: [string, ...string[]], purpose: KeyPurpose): DerivedKeys {
  return [deriveKey(current, purpose), ...earlier.map((secret) => deriveKey(secret, purpose))];
}

/** Whether a MAC was computed with one of the keys; takes the same time for each that is wrong. */
export function isMacOf(input: Buffer, keys: readonly Buffer[], mac: (key: Buffer) => Buffer): boolean {
  return keys.some((key) => {
    const expected = mac(key);
    return input.length === expected.length && timingSafeEqual(input, expected);
  });
}
