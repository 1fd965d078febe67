const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const VALUE_OF = new Int8Array(128).fill(-1);
for (let value = 0; value < ALPHABET.length; value++) VALUE_OF[ALPHABET.charCodeAt(value)] = value;

/** A source of random bytes: `crypto.randomBytes` outside tests. */
export type RandomBytes = (size: number) => Uint8Array;

/** `length` random base62 characters (5.95 bits each), every character equally likely. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: larger values would favour the first characters.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** A whole number as base62 digits, most significant first, padded with `0` to `width`. */
export function encodeBase62(value: number, width: number): string {
  let digits = '';
  for (let rest = value; digits.length < width; rest = Math.floor(rest / 62))
    digits = ALPHABET[rest % 62] + digits;
  return digits;
}

/** The number that the characters from `start` to `end` write in base62, or -1 if one of them is not a base62 digit. */
export function decodeBase62(text: string, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = base62Digit(text.charCodeAt(i));
    if (digit < 0) return -1;
    value = value * 62 + digit;
  }
  return value;
}

/** Whether all characters from `start` to `end` are base62 digits. */
export function isBase62(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (base62Digit(text.charCodeAt(i)) < 0) return false;
  return true;
}

function base62Digit(charCode: number): number {
  return charCode < 128 ? (VALUE_OF[charCode] ?? -1) : -1;
}
