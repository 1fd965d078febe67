import { hkdfSync } from 'node:crypto';

type KeyPurpose =
  | 'staff sessions'
  | 'staff cookies'
  | 'staff devices'
  | 'audit chain'
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
