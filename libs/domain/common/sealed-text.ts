import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { RandomBytes } from './base62';
import type { DerivedKeys } from './derived-key';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text that must be read again, with AES-256-GCM.
 *
 * @param key 32 bytes
 * @param context what the text belongs to; it must be the same when the text is opened
 * @returns nonce, tag and ciphertext as base64url
 */
export function sealText(text: string, key: Buffer, context: string, randomBytes: RandomBytes): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
}

/**
 * Reads what `sealText` has written with one of the keys.
 *
 * @throws when none of the keys fits, the context is another, or the text was changed
 */
export function openSealedText(sealed: string, [key, ...others]: DerivedKeys, context: string): string {
  try {
    return openWith(sealed, key, context);
  } catch (error) {
    const [next, ...rest] = others;
    if (!next) throw error;
    return openSealedText(sealed, [next, ...rest], context);
  }
}

function openWith(sealed: string, key: Buffer, context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
  return Buffer.concat(text).toString('utf8');
}
