const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  }
  return remainder;
});

/**
 * CRC-32 (ISO-HDLC, the one of zlib and PNG) of the first `length` characters of an ASCII text, as an unsigned number.
 *
 * For short texts this is faster than `zlib.crc32`, which has to cross into native code. Characters above U+00FF lose
 * their high bits, so the caller has to know that its text is ASCII.
 */
export function crc32(text: string, length: number = text.length): number {
  let crc = -1;
  for (let i = 0; i < length; i++) crc = (TABLE[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}
