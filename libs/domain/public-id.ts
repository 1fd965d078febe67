const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 20;

/**
 * An id of the public API (voice, preview, sample): 20 alphanumerics, 119 bits.
 *
 * @param randomBytes source of randomness, `crypto.randomBytes` outside tests
 */
export function newPublicId(randomBytes: (size: number) => Uint8Array): string {
  let id = '';
  while (id.length < LENGTH) {
    for (const byte of randomBytes(LENGTH * 2)) {
      // 248 is the largest multiple of 62 in a byte: larger values would favour the first letters.
      if (byte < 248 && id.length < LENGTH) id += ALPHABET[byte % 62];
    }
  }
  return id;
}

/** Whether a text has the form of a public id; other texts name nothing and need no look-up. */
export function isPublicId(text: string): boolean {
  return /^[A-Za-z0-9]{20}$/.test(text);
}
