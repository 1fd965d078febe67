import { randomBase62, type RandomBytes } from './base62';

const LENGTH = 20;

/** An id of the public API (voice, preview, sample): 20 alphanumerics, 119 bits. */
export function newPublicId(randomBytes: RandomBytes): string {
  return randomBase62(LENGTH, randomBytes);
}

export const PUBLIC_ID = /^[A-Za-z0-9]{20}$/;

/** Whether a text has the form of a public id; other texts name nothing and need no look-up. */
export function isPublicId(text: string): boolean {
  return PUBLIC_ID.test(text);
}
